from tests.runtime.toy import toy

__all__ = ["toy"]
