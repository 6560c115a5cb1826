"""Answers of known truth: a third fully true, the others with exactly one false claim.

Each row is a question, a note (what a tool found, and the reference), and the sentences of the answer;
the sentence that is marked with ``!`` contradicts the note.
"""

from __future__ import annotations

from dataclasses import dataclass

_ROWS = """
When does order 4471 arrive? | Order 4471 was shipped on Monday and arrives on Thursday. It is a blue bicycle. | Your order was shipped on Monday. | !It arrives on Sunday.
What is the refund window? | Refunds are possible within 30 days. The fee is 5 euros. | Refunds are possible within 30 days. | !There is no fee.
Which gate does flight LX 18 use? | Flight LX 18 leaves from gate B22 at 14:10. | Flight LX 18 leaves from gate B22. | It leaves at 14:10.
How tall is the tower? | The tower is 324 metres tall. It was opened in 1889. | !The tower is 150 metres tall. | It was opened in 1889.
Who wrote the report? | The report was written by Ana Ruiz. It has 40 pages. | Ana Ruiz wrote the report. | It has 40 pages.
What does the museum cost? | A ticket costs 12 euros. Children are free. The museum is closed on Monday. | A ticket costs 12 euros. | Children are free. | The museum is closed on Monday.
What is the capital of Australia? | Canberra is the capital of Australia. It has about 470,000 inhabitants. | !Sydney is the capital of Australia. | It has about 470,000 inhabitants.
Is the pharmacy open now? | The pharmacy is open until 20:00. It is at 5 Hill Street. | The pharmacy is open until 20:00. | !It is at 50 Lake Road.
What is the warranty? | The warranty lasts two years. It does not cover water damage. | The warranty lasts two years. | !It covers water damage.
How do I reset the router? | Hold the button for ten seconds. The light then turns green. | Hold the button for ten seconds. | The light then turns green.
What is the weather in Oslo? | It is 4 degrees in Oslo. It rains. | It is 4 degrees in Oslo. | !The sun is shining.
How long is the course? | The course lasts six weeks. It starts on 3 March. | The course lasts six weeks. | It starts on 3 March.
What is in the soup? | The soup contains leeks, potatoes and cream. | The soup contains leeks and potatoes. | !It contains no cream.
Who won the match? | Porto won 2 to 1 against Braga. The second goal fell in minute 88. | !Braga won 2 to 1. | The second goal fell in minute 88.
Is the bridge open? | The bridge is closed for repairs until May. Cyclists can use the ferry. | The bridge is closed for repairs. | Cyclists can use the ferry.
How many seats are left? | There are 14 seats left. The price is 35 euros. | !There are no seats left. | The price is 35 euros.
When was the company founded? | The company was founded in 1998 in Lyon. It has 210 employees. | The company was founded in 1998. | !It was founded in Berlin.
Can I bring a dog? | Dogs are allowed on a leash. Cats are not allowed. | Dogs are allowed on a leash. | Cats are not allowed.
What is the speed limit? | The speed limit is 80 km per hour. Trucks may drive 60. | The speed limit is 80 km per hour. | !Trucks may drive 90.
What is the password rule? | A password needs 12 characters. It expires after 90 days. | !A password needs 6 characters. | It expires after 90 days.
Which train goes to Bern? | The train IC 8 goes to Bern. It leaves at 9:02 from platform 4. | The train IC 8 goes to Bern. | It leaves at 9:02. | It leaves from platform 4.
How hot does the oven get? | The oven reaches 250 degrees. It needs 12 minutes for that. | The oven reaches 250 degrees. | It needs 12 minutes for that.
What did the audit find? | The audit found three open issues. None of them is critical. | The audit found three open issues. | !All of them are critical.
How far is the airport? | The airport is 18 km away. A taxi takes 25 minutes. | The airport is 18 km away. | A taxi takes 25 minutes.
Which plan do I have? | You have the Basic plan. It includes 5 GB of storage. | !You have the Premium plan. | It includes 5 GB of storage.
When is the dentist free? | The dentist is free on Friday at 10:30. The visit takes an hour. | The dentist is free on Friday at 10:30. | !The visit takes ten minutes.
How deep is the lake? | The lake is 41 metres deep. Swimming is allowed. | The lake is 41 metres deep. | Swimming is allowed.
What colour is the flag? | The flag is red and white. It has no stars. | The flag is red and white. | !It has five stars.
Is the lecture recorded? | The lecture is recorded. The video is online after two days. | !The lecture is not recorded. | The video is online after two days.
What is the exchange rate? | One euro is 1.08 dollars. The fee is 2 percent. | One euro is 1.08 dollars. | The fee is 2 percent.
How old is the oak? | The oak is 310 years old. It stands in the north of the park. | The oak is 310 years old. | !It stands in the south of the park.
Who leads the team? | The team is led by Mira Okafor. She joined in 2019. | !The team is led by John Peters. | She joined in 2019.
What is the file size? | The file is 3.2 MB. It was changed yesterday. | The file is 3.2 MB. | It was changed yesterday.
Can I pay by card? | Cards are accepted from 10 euros. Cheques are not accepted. | Cards are accepted from 10 euros. | !Cheques are accepted.
How is the battery? | The battery is at 62 percent. It lasts about seven hours. | !The battery is at 12 percent. | It lasts about seven hours.
What does the law say? | The law applies from 2025. It concerns shops with more than 20 employees. | The law applies from 2025. | !It concerns all shops.
Where is the meeting? | The meeting is in room 3.14. It starts at noon. | The meeting is in room 3.14. | It starts at noon.
How many copies were sold? | 12,000 copies were sold. The book costs 19 euros. | !2,000 copies were sold. | The book costs 19 euros.
Is the water safe? | The water is safe to drink. It was tested in June. | The water is safe to drink. | !It has never been tested.
What is the tax rate? | The tax rate is 19 percent. Food is taxed at 7 percent. | The tax rate is 19 percent. | Food is taxed at 7 percent.
When does the shop close? | The shop closes at 18:00. On Saturday it closes at 14:00. | The shop closes at 18:00. | !On Saturday it closes at 20:00.
What is the species? | The bird is a kestrel. It eats mice. | !The bird is a gull. | It eats mice.
How many votes were cast? | 845 votes were cast. The motion was rejected. | 845 votes were cast. | !The motion was accepted.
What is the dose? | The dose is one tablet a day. It is taken after breakfast. | The dose is one tablet a day. | It is taken after breakfast.
Which size is in stock? | Size M is in stock. Size L arrives next week. | Size M is in stock. | !Size L will never arrive.
How was the harvest? | The harvest was 15 percent larger than last year. Prices fell. | !The harvest was smaller than last year. | Prices fell.
Who painted the picture? | The picture was painted by Elsa Brandt in 1921. It hangs in Graz. | Elsa Brandt painted the picture. | It hangs in Graz.
Is the server up? | The server is up again. It was down for 11 minutes. | The server is up again. | !It was down for three hours.
How many rooms has the house? | The house has six rooms and one bath. It was built in 1974. | !The house has two rooms. | It was built in 1974.
What does the bus cost? | The bus costs 2.80 euros. A day ticket costs 7 euros. | The bus costs 2.80 euros. | A day ticket costs 7 euros.
When is the deadline? | The deadline is 15 April. Late papers are not read. | The deadline is 15 April. | !Late papers are read too.
What is the boiling point? | The liquid boils at 78 degrees. It is flammable. | The liquid boils at 78 degrees. | !It cannot burn.
Which floor is it? | The office is on the third floor. There is a lift. | !The office is on the ground floor. | There is a lift.
Who can apply? | Students of all subjects can apply. The grant is 500 euros a month. | Students of all subjects can apply. | The grant is 500 euros a month.
How strong was the quake? | The quake had a strength of 5.6. Nobody was hurt. | The quake had a strength of 5.6. | !Twelve people were hurt.
What is the visa rule? | A visa is needed for stays over 90 days. It costs 60 euros. | !A visa is never needed. | It costs 60 euros.
Where does the river end? | The river ends in the Black Sea. It is 650 km long. | The river ends in the Black Sea. | It is 650 km long.
What is the menu today? | Today there is lentil stew. It is vegan. | Today there is lentil stew. | !It contains bacon.
How fast is the printer? | The printer makes 22 pages a minute. It prints on both sides. | !The printer makes 5 pages a minute. | It prints on both sides.
Is the theatre accessible? | The theatre has a ramp. Row 1 is reserved for wheelchairs. | The theatre has a ramp. | Row 1 is reserved for wheelchairs.
How was the test? | 48 of 50 tests passed. The two failures are in the parser. | 48 of 50 tests passed. | !The two failures are in the printer.
What is the rent? | The rent is 940 euros. Heating is included. | The rent is 940 euros. | !Heating costs extra.
Who is the owner? | The owner is the city of Ghent. It bought the land in 2011. | !The owner is a private person. | The city bought the land in 2011.
How many languages are there? | The app has nine languages. Polish was added last. | The app has nine languages. | Polish was added last.
What is the return address? | Send it to 12 Mill Lane, Cork. The parcel needs a label. | Send it to 12 Mill Lane, Cork. | !The parcel needs no label.
When did the rain start? | The rain started at 6:15. It stopped at noon. | !The rain started at midnight. | It stopped at noon.
"""  # noqa: E501  (a case a line)


RUBRICS = (
    ("facts", "Every statement of the final answer agrees with what the tool found."),
    ("answered", "The final answer says something about what the user asked for."),
)
"""What the rubric metric asks: the first holds exactly for the true answers, the second for all."""


@dataclass(frozen=True)
class Case:
    """An answer whose truth is known.

    Attributes:
        id: Its name.
        question: What the user asked.
        note: What a tool found; all of it is right.
        sentences: The answer.
        false: The place of the false sentence; None if the answer is true.
    """

    id: str
    question: str
    note: str
    sentences: tuple[str, ...]
    false: int | None

    @property
    def answer(self) -> str:
        """The answer as one text."""
        return " ".join(self.sentences)

    @property
    def true(self) -> bool:
        """Whether nothing in the answer is false."""
        return self.false is None


def _case(number: int, row: str) -> Case:
    question, note, *said = (cell.strip() for cell in row.split("|"))
    false = [place for place, sentence in enumerate(said) if sentence.startswith("!")]
    if len(false) > 1:
        raise ValueError(f"{row!r}: more than one false sentence")
    return Case(
        f"c{number:02}",
        question,
        note,
        tuple(sentence.removeprefix("!") for sentence in said),
        false[0] if false else None,
    )


CASES = tuple(_case(number, row) for number, row in enumerate(_ROWS.strip().splitlines(), 1))
