"""Leaks: how many secrets are found in published text, and how long a search takes.

The formats are those that the tests of gitleaks, trufflehog and detect-secrets contain:
prefixes, alphabets and lengths, no values. Each is planted in text as skills have it.
With `SKILLFORGE_BENCH_DATA=FOLDER`, `public/` is a folder of repositories of honest
skills.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, Work, needs_data, share
from benchmarks.planted import ENGLISH, card, grown, iban
from skillforge.checks.scan import scan
from skillforge.library import read_folder
from skillforge.redact import KnownPrivate, leaks

EACH = 8  # planted values of a format
LEAST, MOST = 0.95, 5
# By themselves: the letters between < and > are random, see ALPHABETS of `planted`.
ALONE = """
AKIA<A16> ASIA<A16> ghp_<a36> gho_<a36> ghs_<a36> github_pat_<a22>_<a59> glpat-<u20>
gldt-<u20> glptt-<h40> glrt-<u20> glcbt-<h2>_<u20> gloas-<h64> GR1348941<u20>
sk-ant-api03-<u93>AA sk-proj-<u74>T3BlbkFJ<u74> sk-<a20>T3BlbkFJ<a20> sk-or-v1-<h64>
gsk_<a52> xai-<a80> pplx-<a48> r8_<a37> nvapi-<u64> hf_<c34> api_org_<c34>
xoxb-<d12>-<d13>-<a24> xoxp-<d12>-<d12>-<d12>-<h32> xapp-1-<A11>-<d13>-<h64>
https://hooks.slack.com/services/T<a8>/B<a8>/<a24> AIza<u35> GOCSPX-<u28> ya29.<u60>
https://discord.com/api/webhooks/<d18>/<u68> M<a23>.<a6>.<a27> <d10>:AA<u33>
sk_live_<a24> rk_live_<a24> sq0csp-<u43> sq0atp-<u22> shpat_<h32> shpss_<h32>
FLWSECK-<h32>-X rzp_live_<a14> shippo_live_<h40> EZAK<a54> duffel_live_<u43> npm_<a36>
pypi-AgEIcHlwaS5vcmc<u70> rubygems_<h48> CLOJARS_<a60> dckr_pat_<u27> AKCp<a69>
cmVmd<a59> SG.<u22>.<u43> xkeysib-<h64>-<a16> <h32>-us<d2> key-<h32> SK<h32> hvs.<u95>
hvb.<u140> <a14>.atlasv1.<u67> lin_api_<a40> ntn_<d11><a35> secret_<a43> figd_<u40>
pat<a14>.<h64> ATATT3xFfGF0<u170>=<h8> PMAK-<h24>-<h34>
pat-na1-<h8>-<h4>-<h4>-<h4>-<h12> pk_<h34> A3-<A6>-<A11>-<A5>-<A5>-<A5> dapi<h32>
dop_v1_<h64> doo_v1_<h64> HRKU-AA<u58> fo1_<u43> sbp_<h40> pscale_tkn_<u43>
pscale_pw_<u43> v1.0-<h24>-<h146> tskey-auth-<a16>-<a32> LTAI<a20> <a3>8Q~<u34>
AccountKey=<b86>== glsa_<a32>_<h8> glc_<b60> NRAK-<A27> NRII-<u32> sntryu_<h64>
dt0c01.<A24>.<A64> phx_<a43> squ_<h40> sgp_<h40> bkua_<h40> CCIPAT_<a22>_<h40>
pul-<h40> pnu_<a36> dp.pt.<a43> rdme_<h70> p8e-<h32> API-<A26> tk-us-<u48> CFPAT-<u43>
fio-u-<u64> apify_api_<a36> tfp_<a44>_<a14> pat.<u22>.<a24>.<a20> rootly_<h64>
<a6>_<a29>_mmk sha256~<u43> eyJhbGciOiJIUzI1NiJ9.eyJ<a60>.<u43> lsv2_pt_<h32>_<h10>
pcsk_<a6>_<a63> tvly-<a32> dckr_oat_<u32> glsoat-<u20> BBFF-<a30>
"""
# Only after their names: the lengths and alphabets of the keys of some 900 services.
NAMED = """
<h32> <h40> <h64> <h48> <h36> <h24> <a20> <a24> <a30> <a32> <a36> <a40> <a44> <a64>
<a128> <k20> <k24> <k32> <k40> <k60> <A20> <A32> <A40> <u22> <u32> <u40> <u43> <u64>
<b28>= <b40> <b43>= <b86>== <a8>-<a8>-<a8>-<a8> <h8>-<h4>-4<h3>-a<h3>-<h12>
<a32>.<a32> <a16>-<a16> key_<a32> sk_<a32> <k2>_<h32> <A4>-<A32> prod-<a32> t1.<u60>
su<a12> 4b1d<a38> AQVN<u38> NF-<a32> live_<h35> api-<h8>-<h4>-4<h3>-a<h3>-<h12>
"""
SERVICES = ("acme", "orbit", "quill", "northwind", "lumen", "kestrel", "mesa")
NAMES = ("api_key", "token", "secret", "access_token", "secret_key", "client_secret")
BARE = ("Use {v} for now.", "`{v}`", "# {v}", 'client.connect("{v}")', "- {v}")
PLACES = (
    "export {S}_{N}={v}", 'export {S}_{N}="{v}"', "{s}_{n}: {v}", '  {n}: "{v}"',
    "client = Client({n}='{v}')", "{S}_{N} = '{v}'", '{{"{s}_{n}": "{v}", "debug": 1}}',
    'curl -H "Authorization: Bearer {v}" https://api.{s}.com/v1',
    'curl -H "X-{s}-{o}: {v}" https://api.{s}.com/v1', "{s} login --{o} {v}",
    'os.environ["{S}_{N}"] = "{v}"', "| {S}_{N} | {v} |", "- **{s} {w}**: `{v}`",
    "The {s} {w} is {v}.", '"env": {{"{S}_{N}": "{v}"}}', 'const {s}_{n} = "{v}";',
    "{n}: str = '{v}'",
)  # fmt: skip
AROUND = ("# Setup\n\n```sh\n{}\n```\n", "First this.\n\n{}\n\nThen go on.\n", "{}\n")


def rows(work: Work) -> Iterator[Row]:
    kinds = (
        (ALONE, (*PLACES, *BARE), "keys with a prefix"),
        (NAMED, PLACES, "other keys"),
    )
    for forms, places, what in kinds:
        found = sum(_found(form, places) for form in forms.split())
        count = len(forms.split()) * EACH
        yield share(f"{count} {what}, found", found, count, LEAST)
    found, count = _accounts()
    yield share(f"{count} cards and bank accounts, found", found, count, LEAST)
    yield _speed()
    yield from _public(work)


def _found(form: str, places: tuple[str, ...]) -> int:
    """How many planted values of a format are found, at their place."""
    rng = random.Random(form)
    found = 0
    for _ in range(EACH):
        value = grown(rng, form)
        name, service = rng.choice(NAMES), rng.choice(SERVICES)
        line = rng.choice(places).format(
            v=value, s=service, S=service.upper(), n=name, N=name.upper(),
            o=name.replace("_", "-"), w=name.replace("_", " "),
        )  # fmt: skip
        text = rng.choice(AROUND).format(line)
        at = text.index(value)
        found += any(
            leak.start < at + len(value) and at < leak.end for leak in leaks.find(text)
        )
    return found


def _accounts() -> tuple[int, int]:
    """Of cards and bank accounts with correct check digits, how many are found."""
    rng = random.Random(1)
    numbers = [card(rng, grown(rng, "45<d13>")) for _ in range(100)]
    numbers += [iban(rng, f"DE{grown(rng, '<d18>')}") for _ in range(100)]
    texts = [f"Pay with the card or account {number}.\n" for number in numbers]
    found = sum(bool(leaks.find_private(text, KnownPrivate())) for text in texts)
    return found, len(texts)


def _speed() -> Row:
    text = ENGLISH[: 1 << 19]
    leaks.find(text[:1000])
    start = time.perf_counter()
    leaks.find(text)
    taken = (time.perf_counter() - start) * 1000
    what = "half a megabyte of English is searched"
    return Row(what, f"{taken:.0f} ms", "under 3,000 ms", taken < 3000)


def _public(work: Work) -> Iterator[Row]:
    """Findings in public repositories, in which none is known to be real."""
    what = "leaks reported in public repositories"
    folder = work.given("public")
    if folder is None:
        yield from needs_data("public/", (what, f"at most {MOST}"))
        return
    pages = sorted(folder.rglob("SKILL.md"))
    count = sum(_reported(page.parent) for page in pages)
    yield Row(
        f"{what} ({len(pages)} skills)", str(count), f"at most {MOST}", count <= MOST
    )


def _reported(folder: Path) -> int:
    found = scan(
        read_folder(str(folder), folder.name, folder.name, alone=True)
    ).findings
    return sum(finding.category == "leak" for finding in found)
