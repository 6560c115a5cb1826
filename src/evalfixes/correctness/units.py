"""Units of measure: a small table of our own; pint, if it is installed, knows the rest.

A unit is a dimension and a factor to its base. ``kilometers per hour`` and the like are looked up as
one name. Unknown units are nouns: ``12 U`` are twelve of something called U, not atomic masses.
"""

from __future__ import annotations

import functools
import re
from typing import Any

_NAMES: dict[str, tuple[str, float]] = {}


def _add(dimension: str, factor: float, names: str) -> None:
    for name in names.split(","):
        _NAMES[name.strip()] = (dimension, factor)


for _dimension, _factor, _names in (
    ("length", 1.0, "m,meter,meters,metre,metres"),
    ("length", 1000.0, "km,kilometer,kilometers,kilometre,kilometres"),
    ("length", 0.01, "cm,centimeter,centimeters,centimetre,centimetres"),
    ("length", 0.001, "mm,millimeter,millimeters,millimetre,millimetres"),
    ("length", 1e-6, "µm,μm,micrometer,micrometers,micrometre,micrometres,micron,microns"),
    ("length", 1e-9, "nm,nanometer,nanometers,nanometre,nanometres"),
    ("length", 0.0254, "inch,inches"),
    ("length", 0.3048, "ft,foot,feet"),
    ("length", 0.9144, "yd,yard,yards"),
    ("length", 1609.344, "mi,mile,miles"),
    ("length", 1852.0, "nautical mile,nautical miles"),
    ("area", 1e6, "km2,km²,square kilometer,square kilometers,square kilometre,square kilometres,sq km"),
    ("area", 1.0, "m2,m²,square meter,square meters,square metre,square metres,sq m"),
    ("area", 2589988.110336, "square mile,square miles,sq mi"),
    ("area", 0.09290304, "square foot,square feet,sq ft"),
    ("area", 4046.8564224, "acre,acres"),
    ("area", 10000.0, "ha,hectare,hectares"),
    ("volume", 0.001, "l,liter,liters,litre,litres"),
    ("volume", 1e-6, "ml,milliliter,milliliters,millilitre,millilitres,cc"),
    ("volume", 0.003785411784, "gallon,gallons"),
    ("mass", 1.0, "kg,kilogram,kilograms,kilo,kilos"),
    ("mass", 0.001, "g,gram,grams"),
    ("mass", 1e-6, "mg,milligram,milligrams"),
    ("mass", 1e-9, "µg,μg,microgram,micrograms"),
    ("mass", 1000.0, "tonne,tonnes,metric ton,metric tons"),
    ("mass", 0.45359237, "lb,lbs,pound,pounds"),
    ("mass", 0.028349523125, "oz,ounce,ounces"),
    ("duration", 1.0, "s,sec,secs,second,seconds"),
    ("duration", 0.001, "ms,millisecond,milliseconds"),
    ("duration", 60.0, "min,mins,minute,minutes"),
    ("duration", 3600.0, "h,hr,hrs,hour,hours"),
    ("duration", 86400.0, "day,days"),
    ("duration", 604800.0, "week,weeks"),
    # A month and a year are no fixed number of days, so they convert into each other only.
    ("calendar", 1.0, "month,months"),
    ("calendar", 12.0, "year,years,yr,yrs"),
    ("calendar", 120.0, "decade,decades"),
    ("calendar", 1200.0, "century,centuries"),
    ("speed", 1 / 3.6, "km/h,kph,kmh,kilometers per hour,kilometres per hour"),
    ("speed", 0.44704, "mph,miles per hour"),
    ("speed", 1.0, "m/s,meters per second,metres per second"),
    ("speed", 0.514444, "knot,knots"),
    ("data", 1.0, "byte,bytes"),
    ("data", 1e3, "kb,kilobyte,kilobytes"),
    ("data", 1e6, "mb,megabyte,megabytes"),
    ("data", 1e9, "gb,gigabyte,gigabytes"),
    ("data", 1e12, "tb,terabyte,terabytes"),
    ("data", 1024.0, "kib"),
    ("data", 1024.0**2, "mib"),
    ("data", 1024.0**3, "gib"),
    ("data", 1024.0**4, "tib"),
    ("bitrate", 1e3, "kbps,kbit/s"),
    ("bitrate", 1e6, "mbps,mbit/s"),
    ("bitrate", 1e9, "gbps,gbit/s"),
    ("power", 1.0, "w,watt,watts"),
    ("power", 1e3, "kw,kilowatt,kilowatts"),
    ("power", 1e6, "mw,megawatt,megawatts"),
    ("power", 1e9, "gw,gigawatt,gigawatts"),
    ("energy", 3.6e6, "kwh,kilowatt hour,kilowatt hours"),
    ("voltage", 1.0, "v,volt,volts"),
    ("voltage", 1e3, "kv,kilovolt,kilovolts"),
    ("frequency", 1.0, "hz,hertz"),
    ("frequency", 1e3, "khz,kilohertz"),
    ("frequency", 1e6, "mhz,megahertz"),
    ("frequency", 1e9, "ghz,gigahertz"),
    ("angle", 1.0, "°,degree,degrees"),
):
    _add(_dimension, _factor, _names)

TEMPERATURES = {
    "°c": (1.0, 0.0),
    "celsius": (1.0, 0.0),
    "degrees celsius": (1.0, 0.0),
    "degrees c": (1.0, 0.0),
    "°f": (5 / 9, -160 / 9),
    "fahrenheit": (5 / 9, -160 / 9),
    "degrees fahrenheit": (5 / 9, -160 / 9),
    "degrees f": (5 / 9, -160 / 9),
    "kelvin": (1.0, -273.15),
    "kelvins": (1.0, -273.15),
}
"""Scales of temperature: factor and offset to degrees Celsius."""

_CASED = {"MW": ("power", 1e6), "mW": ("power", 1e-3), "Mb": ("bits", 1e6), "Gb": ("bits", 1e9), "kb": ("bits", 1e3)}
"""Short names that mean two things in lower case."""

PATTERN = "|".join(
    re.escape(name) if name[-1].isalnum() is False else rf"{re.escape(name)}(?!\w)"
    for name in sorted((*_NAMES, *TEMPERATURES), key=len, reverse=True)
)
"""Pattern of a known unit; case-insensitive, longest first."""


def base(value: float, unit: str) -> tuple[str, float] | None:
    """A quantity in the base of its dimension.

    Args:
        value: The number.
        unit: The unit as it is written.

    Returns:
        Dimension and value; None for a unit that nobody knows.
    """
    if len(unit) == 1 and unit.isupper() and unit not in "LVW":
        return None  # 5G is no mass, 12M no length
    if unit in _CASED:
        dimension, factor = _CASED[unit]
        return dimension, value * factor
    name = " ".join(unit.lower().split())
    if name in TEMPERATURES:
        factor, offset = TEMPERATURES[name]
        return "temperature", value * factor + offset
    if name in _NAMES:
        dimension, factor = _NAMES[name]
        return dimension, value * factor
    return _by_pint(value, unit)


def _by_pint(value: float, unit: str) -> tuple[str, float] | None:
    registry = _registry()
    # A short name means too many things: 12U is not twelve atomic mass units.
    if registry is None or len(unit) < 4 or not unit.isalpha():
        return None
    try:
        quantity = registry.Quantity(value, unit).to_base_units()
    except Exception:  # pint raises errors of many kinds for words that are no units
        return None
    return str(quantity.dimensionality), float(quantity.magnitude)


@functools.cache
def _registry() -> Any:
    try:
        import pint
    except ImportError:
        return None
    return pint.UnitRegistry()
