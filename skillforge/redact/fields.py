"""Field names that announce a kind of private value.

Names are recognised in any spelling: `firstName`, `FIRST_NAME`, `customer.first-name`,
`First name`. Ambiguous names (`city`, `name`) count only beside another field about a
person, or inside an address.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

from skillforge.redact import secrets

PLACES = "PLACE"  # ambiguous: of a person, or of the weather
SOME_NAME = "SOMENAME"  # ambiguous: of a person, or of a tool
SECRET = "SECRET"  # noqa: S105 - a kind
WHO = "WHO"  # a person, if the value is the full name of somebody
_PERSON = (
    "customer|client|patient|employee|manager|guest|passenger|contact|recipient|"
    "sender|receiver|holder|spouse|partner|parent|guardian|mother|father|child|"
    "student|teacher|doctor|physician|nurse|owner|author|member|applicant|tenant|"
    "landlord|buyer|seller|payer|payee|beneficiary|subscriber|travell?er|attendee|"
    "participant|candidate|caller|driver|signer|signatory|insured|supervisor|"
    "reporter|assignee|person|human|relative|kin|sibling|resident|citizen|voter|"
    "donor|witness|victim|suspect|lawyer|attorney|consignee|billing|shipping|maiden|"
    "birth|legal|preferred"
)
_NUMBER = r"(?:_?(?:number|num|no|nr))?"
# By the end of a name, in words with an underscore between them.
_ENDS = (
    (
        "NAME",
        r"(?:first|last|full|given|family|sur|middle|maiden|nick|fore|christian)"
        rf"_?names?|[fl]_?name|(?:{_PERSON})s?_?names?|"
        r"(?:card|account)_?holder(?:_?name)?|name_?on_?(?:the_)?card|"
        r"contact_person|next_of_kin|middle_?initial|"
        r"(?:vor|nach|familien|geburts)name|prenoms?|nom_de_famille|apellidos?|cognome",
    ),
    (
        "ADDRESS",
        r"addr(?:ess(?:es)?)?(?:_?line)?|street(?:_?(?:name|address|line))?"
        rf"|(?:street|house|apartment|apt){_NUMBER}|p_?o_?box|"
        r"birth_?place|place_of_birth|home_?town|"
        r"strasse|hausnummer|anschrift|adresse|direccion|domicilio|indirizzo|geburtsort",
    ),
    ("POSTCODE", r"(?:zip|post|pin)_?codes?|zip(?:_plus)?|postal(?:_?codes?)?|plz"),
    (
        "BIRTHDATE",
        r"dob|(?:date|day|year|month)_?of_?birth|birth_?(?:date|day|year)|bday|"
        r"born(?:_on)?|geburts(?:datum|tag)|date_de_naissance|fecha_de_nacimiento|"
        r"data_di_nascita",
    ),
    (
        "CARD",
        r"last_?(?:four|4)(?:_?digits)?|(?:credit_?|debit_?)?(?:card|cc)"
        r"_?(?:number|num|no|digits)|cvv|cvc|cv|(?:card_)?security_code|"
        r"(?:card|atm|debit|account)_pin|"
        r"(?:card|cc)_?exp(?:iry|iration|ires)?(?:_?date)?",
    ),
    (
        "ID",
        rf"ssn(?:_?last_?(?:4|four)(?:_?digits)?)?|social_security{_NUMBER}|"
        rf"passport{_NUMBER}|(?:passport|national|tax|tax_?payer)_?id{_NUMBER}|"
        rf"driv(?:er_?s?|ing)_?licen[cs]e{_NUMBER}|licen[cs]e_?plate{_NUMBER}|"
        rf"(?:medical_record|national_insurance|nhs|insurance|bank_?account|account|"
        rf"routing)_?(?:number|num|no|nr)|mrn|bank_?account|sort_?code|nino?|"
        r"(?:frequent_?fl[iy]er|loyalty|member(?:ship)?|known_travell?er|redress|policy|"
        r"medicare|medicaid|health_card|insurance|patient|subscriber|employee|customer)"
        r"_?(?:number|num|no|nr|id)",
    ),
    (
        "PHONE",
        rf"telefon(?:nummer|o)?|handy(?:nummer)?|movil|"
        rf"(?:tele|mobile_?|cell_?)?phones?{_NUMBER}|(?:mobile|cell|fax|whatsapp|tel)"
        rf"{_NUMBER}|contact_(?:number|num|no|nr)",
    ),
    (
        WHO,
        r"emergency_contact|(?:customer|patient|passenger|guest|recipient|employee|"
        r"beneficiary|spouse|travell?er|attendee|applicant|tenant|insured|payee|student)",
    ),
    ("EMAIL", r"e?_?mails?(?:_?address)?"),
    (
        PLACES,
        r"city|town|village|suburb|county|state|province|country(?:_?(?:code|name))?|"
        r"(?:state|province)_?code|line|ort|wohnort|stadt|ville|ciudad|pays|pais|land",
    ),
    (
        SECRET,
        r"pass_?(?:words?|wd|phrase|code|wort)|\w+_pass|pwd|pw|kennwort|contrasena|senha|"
        r"wachtwoord|mot_de_passe|mdp|(?:client_)?secret",
    ),
)
_KINDS = [(kind, re.compile(rf"(?:.*_)?(?:{ends})")) for kind, ends in _ENDS]
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Suffixes of a name, as in `address_line_2` or `zip_input`.
_TAIL = re.compile(r"(?<!last)(?:_(?:\d+|value|text|field|input|raw|old|new))+$")
_TECHNICAL = re.compile(
    r"(?:.*_)?(?:ip(?:_?v)?|i_pv|phys|mac|e|email|mail|web|url|host|server|bind|listen|remote|peer|"
    r"socket|memory|mem|base|virtual|network|gateway|dns|proxy|wallet|contract|bus|"
    r"register|start|end|entry)_(?:\d_)?addr(?:ess(?:es)?)?"
)
# Fields that make an object a person's, so that its name and city are private.
OF_A_PERSON = ("NAME", "ADDRESS", "POSTCODE", "BIRTHDATE", "PHONE", "EMAIL")
_OF_A_TOOL = frozenset(
    ("arguments", "parameters", "function", "tool_call_id", "input_schema", "tool")
)
_SOME_NAMES = (
    "name", "first", "last", "display_name", "displayname", "nom", "nombre", "nome",
)  # fmt: skip
_IN_A_NAME = re.compile(r"first|last|middle|given|family|full|value|text")
_IN_AN_ADDRESS = re.compile(r"line|number|unit|suite|code|district|region|value|text")


@lru_cache(maxsize=4096)
def kind_of(key: str) -> str:
    """The kind of a field by its name, or empty; some are ambiguous."""
    name = _spelled(key)
    kind = next((kind for kind, ends in _KINDS if ends.fullmatch(name)), "")
    if kind == "ADDRESS" and _TECHNICAL.fullmatch(name):
        return "EMAIL" if "mail" in name else ""
    return SOME_NAME if name in _SOME_NAMES else kind


def is_heading(text: str) -> bool:
    """Whether a text is a field name rather than a value such as a street."""
    return not text[:1].isdigit() and bool(kind_of(text))


def _spelled(key: str) -> str:
    """A field name in lower case, with underscores between its words."""
    name = key[-80:]
    if not name.isascii():
        apart = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
        name = "".join(letter for letter in apart if not unicodedata.combining(letter))
    words = _WORDS.findall(name)
    return _TAIL.sub("", "_".join(words).lower())


def kinds_of(keys: Sequence[str], under: str = "") -> list[str]:
    """The kinds of an object's fields; `under` is the kind of its own field."""
    kinds = [_inside(key, under) or kind_of(key) for key in keys]
    is_person = under in ("ADDRESS", WHO) or any(kind in OF_A_PERSON for kind in kinds)
    is_tool = not _OF_A_TOOL.isdisjoint(keys)
    return [in_context(kind, is_person, is_tool) for kind in kinds]


def in_context(kind: str, is_person: bool, is_tool: bool = False) -> str:
    """The kind of an ambiguous field, depending on the object that contains it."""
    if kind == PLACES:
        return "ADDRESS" if is_person else ""
    if kind == SOME_NAME:
        return "NAME" if is_person and not is_tool else ""
    return kind


def label_of(kind: str) -> str:
    """The kind in a placeholder."""
    return "NAME" if kind == WHO else kind


def _inside(key: str, under: str) -> str:
    """`first` in a name, `line1` in an address."""
    name = _spelled(key) if under else ""
    if under in ("NAME", SOME_NAME) and _IN_A_NAME.fullmatch(name):
        return "NAME"
    if under == "ADDRESS" and _IN_AN_ADDRESS.fullmatch(name):
        return "ADDRESS"
    return ""


_NO_VALUE = re.compile(
    r"(?:none|null|nil|true|false|undefined|unknown|n/?a|string|str|text|int|integer|"
    r"number|bool|boolean|object|array|required|optional|redacted|hidden|empty|any|"
    r"example|default|value|name|type|field|varchar|char|date|anonymous|placeholder|"
    r"username|user|admin|root|test|foo|bar|x+|\*+|-+|\.+|_+)",
    re.IGNORECASE,
)
_ABOUT_SECRETS = re.compile(
    r"yes|no|token|textbox|input|password_?\w{0,20}|secret\w{0,20}|hash(?:ed)?|"
    r"bcrypt|plain|private|sensitive|varchar\(?\d{0,4}\)?|[a-z]+_[a-z_]+|[\W_]+|<.*|"
    r"\w+\(.*",
    re.IGNORECASE,
)
_ENCODED = re.compile(r"(?<=[\w,])(?:\+|%20)(?=\w)")  # a space, in a query
_PERCENT = re.compile(r"%(2[CFcf]|3[Aa])")  # a comma, a slash or a colon
_CODE = re.compile(r"[<>{}()\[\]$=;\\@|]|://|\w\.\w+\.|^0x|\.\.\.")
_LETTER = r"[^\W\d_]"
PARTICLE = r"(?:de|der|den|van|von|la|le|del|della|di|da|dos|das|bin|ibn|al|el|y|e|zu)"
_NAME = re.compile(
    rf"{_LETTER}(?:[^\W_]|[.'’-]){{0,40}}(?:,? "
    rf"(?:{PARTICLE}|[^\W\d_a-z](?:[^\W_]|[.'’-]){{0,40}}|\d(?:st|nd|rd|th))){{0,5}}"
)
_DOTTED = re.compile(r"\w{2}\.\w")  # `typing.Any`
_WORDY = re.compile(r"\b(?:the|of|your|their|is|to|for|this|that|a|an|user'?s?)\b")
# Digits, and few letters at a time: `78750`, `SW1A 1AA`, but not `backup7`.
_POSTCODE = re.compile(
    r"(?=(?:[^\d]*\d){2})(?!.*[A-Za-z]{5})[A-Za-z0-9][A-Za-z0-9 -]{3,9}"
)
_DATE = re.compile(
    r"\d{4}|\d{8}|\d{1,4}[-/. ]\s?\w{1,9}[-/., ]{1,2}\d{1,4}(?:T[\d:.Z+-]{0,20})?|"
    r"[A-Z][a-z]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
_DIGITS = re.compile(
    r"[\d*x•. -]{0,20}\d{3,}|(?:0[1-9]|1[0-2]) ?[/-] ?(?:20)?\d\d", re.IGNORECASE
)
_IS_IP = re.compile(
    r"(?=.*\d)[\d.:a-fA-F]+(?::\d+)?|[\w.-]+:\d{2,5}|/.*|[\w-]+(?:\.[\w-]+)+"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def is_value(kind: str, text: str) -> bool:
    """Whether a text can be a value of its field's kind, not a placeholder."""
    if kind == SECRET:
        return _is_secret(text)
    text = _PERCENT.sub(lambda match: chr(int(match[1], 16)), text)
    text = _ENCODED.sub(" ", text).strip()
    if not 1 < len(text) <= 120 or _NO_VALUE.fullmatch(text):
        return False
    if kind != "BIRTHDATE" and _CODE.search(text):  # `01.02.1990` looks like code
        return False
    return kind in _CHECKS and not _is_spelling(kind, text) and _CHECKS[kind](text)


def _is_secret(text: str) -> bool:
    """Whether a field's text is a password, not a word about passwords."""
    is_word = 3 <= len(text) <= 120 and not re.search(r"\s", text)
    is_about = _NO_VALUE.fullmatch(text) or _ABOUT_SECRETS.fullmatch(text)
    if not is_word or is_about or secrets.is_placeholder(text):
        return False
    return not text.startswith(("<", "{", "$", "#")) and not _is_spelling(SECRET, text)


def _is_spelling(kind: str, text: str) -> bool:
    """Whether a text repeats the field name: `STREET_ADDRESS: "streetAddress"`."""
    is_word = " " not in text and not text[:1].isdigit()
    return is_word and in_context(kind_of(text), is_person=True) == kind


def _is_name(text: str) -> bool:
    is_name = _NAME.fullmatch(text) is not None
    return is_name and not _WORDY.search(text) and not _DOTTED.search(text)


def _is_full_name(text: str) -> bool:
    """Whether a text is a first and a last name, not a title or a group."""
    return " " in text and not any(map(str.isdigit, text)) and _is_name(text)


def is_bare_value(kind: str, value: str) -> bool:
    """Whether an unquoted word after a field name is a value, not code."""
    has_digit = any(map(str.isdigit, value))
    if kind in ("NAME", SOME_NAME, WHO):
        return value[:1].isupper() and not has_digit
    return has_digit or kind == PLACES


def _is_phone(text: str) -> bool:
    digits = re.sub(r"[+() ./-]", "", text)
    return digits.isdigit() and len(digits) >= 5


def _is_address(text: str) -> bool:
    """Whether a text is a street, town or state, not a network or memory address."""
    if _IS_IP.fullmatch(text) or _WORDY.search(text):
        return False
    has_digit = any(map(str.isdigit, text))
    return (has_digit or not text.islower()) and any(map(str.isalpha, text))


def _has_digits(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= 3


_CHECKS: dict[str, Callable[[str], bool]] = {
    "NAME": _is_name,
    WHO: _is_full_name,
    "ADDRESS": _is_address,
    "POSTCODE": lambda text: _POSTCODE.fullmatch(text) is not None,
    "BIRTHDATE": lambda text: _DATE.fullmatch(text) is not None,
    "CARD": lambda text: _DIGITS.fullmatch(text) is not None,
    "PHONE": _is_phone,
    "ID": _has_digits,
}


def is_distinctive(kind: str, text: str) -> bool:
    """Whether a value is private outside its field too."""
    if kind == SECRET:
        return secrets.is_no_word(text)
    if kind == "ADDRESS":
        return len(text) >= 4
    return len(text) >= 4 and _YEAR.fullmatch(text) is None
