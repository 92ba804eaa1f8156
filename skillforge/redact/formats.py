"""Formats of private data: tokens of services, check digits, addresses."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

# Tokens by service. <a36> are 36 letters or digits at random (see _ALPHABETS), <a9-> at
# least nine. A format has a prefix that nothing else has, or parts of exact lengths:
# good skills contain words like "password" and random-looking text.
_SERVICES = """
an AWS key: AKIA<A16> ASIA<A16> ABIA<A16> ACCA<A16> ABSK<b109-269>
a GitHub token: ghp_<a36> gho_<a36> ghu_<a36> ghs_<a36> ghr_<a36> github_pat_<v50-90>
a GitLab token: glpat-<u20-64> glpat-<u27-300>.<p9-12> gldt-<u20> glft-<u20> glrt-<u20>
a GitLab token: glsoat-<u20> glffct-<u20> glptt-<h40>
a GitLab token: glcbt-<a1-5>_<u20> glimt-<u25> glagent-<u50> gloas-<h64> GR1348941<u20>
a GitLab token: glrt-t<d1>_<u27-300>.<p9-12>
an Anthropic key: sk-ant-<l3-5><d2>-<u80->
an OpenAI key: sk-(?:proj|svcacct|admin)-<u40-> sk-<a48> sk-<a20>T3BlbkFJ<a20>
an OpenRouter key: sk-or-v1-<h64>
a LangSmith key: lsv2_(?:pt|sk)_<h32>_<h10>
a Langfuse key: sk-lf-<h8>-<h4>-<h4>-<h4>-<h12>
a Groq key: gsk_<a52>
an xAI key: xai-<v80>
a Perplexity key: pplx-<a48>
a Replicate token: r8_<u37>
an NVIDIA key: nvapi-<u64>
a Tavily key: tvly-(?:dev-|prod-)?<a32>
a Pinecone key: pcsk_<a5-6>_<a63>
a Slack token: xox[abeoprs]-<d8->-<u16-> xox[abr]-<d1>-<d8->-<u16->
a Slack token: xapp-<d1>-<A9-12>-<d9-14>-<l64>
a Slack token: xoxe-<d1>-<a146> xoxe.xox[bp]-<d1>-<a160-170>
a Slack webhook: hooks.slack.com/<c8-9>/[TE]<a8->/<a8->/<a20-46>
a Discord webhook: discord(?:app)?.com/api/webhooks/<d17-20>/<u60-70>
a Discord token: [MNO]<u23-25>.<u6>.<u27-38>
a Teams webhook: webhook.office.com/webhookb2/<u36>@<u36>/IncomingWebhook/<u32>
a Telegram token: <d8-10>:AA<u32-33>
a Google key: AIza<u35>
a Google secret: GOCSPX-<u28>
a Google token: ya29.<u20->
a Stripe key: sk_live_<a20-> rk_live_<a20-> whsec_<b32-64>
a live key: <l2-10>_live_<a20->
a Square token: sq0<c3>-<u20-60> EAAA<u56-60>
a Shopify token: shpat_<H32> shpca_<H32> shppa_<H32> shpss_<H32>
a Flutterwave key: FLWSECK-<l32>-X
a Razorpay key: rzp_live_<a14>
a Shippo token: shippo_live_<H40>
an EasyPost key: EZAK<a54>
a Duffel token: duffel_live_<u43>
a Lob key: live_<h35>
an npm token: npm_<a36>
a PyPI token: pypi-AgE<u50->
a RubyGems key: rubygems_<h48>
a NuGet key: oy2<l43>
a Clojars token: CLOJARS_<a60>
a Docker token: dckr_(?:pat|oat)_<u20->
a JFrog key: AKC[pA]<a69> cmVmd<a59>
a Hugging Face token: hf_<c34> api_org_<a34>
a SendGrid key: SG.<u20-24>.<u39-50>
a Brevo key: xkeysib-<h64>-<a16>
a Mailchimp key: <h32>-us<d1-2>
a Mailgun key: key-<h32>
a Twilio key: SK<h32>
a Vault token: hvs.<u20-> hvb.<u20-> hvr.<u20->
a Terraform token: <a14>.atlasv1.<u60-70>
a Linear key: lin_(?:api|oauth)_<a30->
a Notion token: ntn_<d11><a35> secret_<a43>
a Figma token: figd_<u40-> figp_<u40->
an Asana token: <d1>/<d16>:<h32>
an Airtable token: pat<a14>.<h64>
an Atlassian token: ATATT3<b50-> ATCTT3<b30-> ATBB<a32>
a Postman key: PMAK-<u59>
a HubSpot token: pat-<l2><d1>-<H8>-<H4>-<H4>-<H4>-<H12>
a Klaviyo key: pk_<h34>
a 1Password token: ops_eyJ<b250-> A3-<A6>-<A6>-?<A5>-<A5>-<A5>-<A5>
an age key: AGE-SECRET-KEY-1<A58>
a Databricks token: dapi<h32>
a DigitalOcean token: dop_v1_<h64> doo_v1_<h64> dor_v1_<h64>
a Heroku key: HRKU-<u40->
a Fly token: fo1_<u43> fm1[ar]_<b100-> fm2_<b100->
a Supabase token: sbp_<l40> sb_secret_<u31->
a PlanetScale token: pscale_(?:tkn|pw|oauth)_<p32-64>
a Neon key: napi_<l60->
a Render key: rnd_<a28-36>
a Vercel token: vcp_<a24-60>
a Netlify token: nfp_<a36>
a Cloudflare key: v1.0-<h24>-<h146> cfut_<a40><h8> cfat_<a40><h8> cfk_<a40><h8>
a Tailscale key: tskey-<c3-10>-<a10->-<a20->
an Alibaba key: LTAI<a16-24>
a Tencent key: AKID<a32-36>
an Azure secret: <p3><d1>Q~<p31-34>
an Azure key: AccountKey=<b86>== SharedAccessKey=<b43>=
a Grafana token: glsa_<a32>_<H8> glc_<b32->
a New Relic key: NRAK-<A27> NRII-<u25-32> NRBR-<h19> NRIQ-<u25>
a New Relic key: <h32>FFFFNRAL eu01xx<h26>FFFFNRAL eu01xx<h36>-NRMA AA<h40>-NRMA
a Sentry token: sntryu_<h64> sntrys_eyJ<b100->
a Dynatrace token: dt0<l1><d2>.<A24>.<A64>
a PostHog key: phx_<a43-48>
a Datadog key: dd[pw]_<a36>
a Sonar token: sq[upa]_<h40>
a Sourcegraph token: sgp_(?:<H16>_|local_)?<H40>
a Snyk token: snyk_uat.<u30->
a Buildkite token: bkua_<l40>
a CircleCI token: CCIPAT_<a22>_<H40>
a Pulumi token: pul-<l40>
a Prefect token: pnu_<a36>
a Doppler token: dp.(?:pt|ct|sa|scim|audit|st(?:.<u2-35>)?).<a40-44>
an Infisical token: st.<h24>.<h32>.<h32>
a ReadMe key: rdme_<l70>
an Adobe secret: p8e-<u32>
an Octopus key: API-<A26>
a Scalingo token: tk-us-<u48>
a Contentful token: CFPAT-<u43>
a Frame.io token: fio-u-<u64>
an Apify token: apify_api_<u36>
a Typeform token: tfp_<v40-59>
a Harness key: [ps]at.<u22>.<a24>.<a20>
a Bannerbear key: bb_pr_<h30> bb_ma_<h30>
a Ubidots key: BBFF-<a30>
a Rootly key: rootly_<h64>
a MaxMind key: <a6>_<a29>_mmk
an OpenShift token: sha256~<u43>
"""
_ALPHABETS = {
    "a": r"[0-9A-Za-z]", "l": r"[0-9a-z]", "A": r"[0-9A-Z]", "c": r"[A-Za-z]",
    "d": r"[0-9]", "h": r"[0-9a-f]", "H": r"[0-9A-Fa-f]", "v": r"[0-9A-Za-z_]",
    "u": r"[0-9A-Za-z_-]", "p": r"[0-9A-Za-z_~.-]", "b": r"[0-9A-Za-z+/=_-]",
}  # fmt: skip
_PART = re.compile(r"<(\w)(\d+)(-?)(\d*)>")
_NO_LITERAL = re.compile(r"<[^>]*>|\[[^\]]*\]\+?|\(.*\)\??|\\.|.\?")


class TokenFormat(NamedTuple):
    """The tokens of a service: a part that all of them have, a name and a pattern."""

    needs: str
    what: str
    pattern: str


def _formats() -> Iterator[TokenFormat]:
    for line in _SERVICES.strip().split("\n"):
        what, _, forms = line.partition(": ")
        for form in forms.split():
            needs = max(_NO_LITERAL.sub(" ", form).split(" "), key=len)
            pattern = _PART.sub(_repeated, form.replace(".", r"\."))
            yield TokenFormat(needs, what, pattern)


def _repeated(part: re.Match[str]) -> str:
    alphabet, least, is_range, most = part.groups()
    comma = "," if is_range else ""
    return f"{_ALPHABETS[alphabet]}{{{least}{comma}{most}}}"


TOKENS = tuple(_formats())
JWT = TokenFormat("eyJ", "a JSON Web Token", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}")
PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:[\w+/=:,.\s-]|\\[nr]){120,}"
)
_FORMATS = (*TOKENS, JWT)
_RUN = re.compile(
    r"[0-9A-Za-z_+/=.~:-]{20,}"
)  # the shortest token, and all of its letters


@cache
def token_pattern(token: TokenFormat) -> re.Pattern[str]:
    """The pattern of whole tokens."""
    return re.compile(rf"(?<![^\W_]){token.pattern}(?![^\W_])")


def formats_in(text: str) -> list[TokenFormat]:
    """The formats that a text may have tokens of."""
    runs = "\n".join(_RUN.findall(text))
    return [token for token in _FORMATS if token.needs in runs and _is_in(token, runs)]


def _is_in(token: TokenFormat, runs: str) -> bool:
    """Whether to search for a token whose needed part is in most texts."""
    return len(token.needs) > 2 or re.search(token.pattern, runs) is not None


CARD = re.compile(
    r"(?<![\w.-])(?:\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d\d([ -]?)\d{6}\2\d{5})"
    r"(?![\w-])"
)
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){2,7}(?: ?[0-9A-Z]{1,3})?\b")
EMAIL = re.compile(
    r"(?<![\w.+-])(?!git@)[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}"
    r"\.[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
HOME = re.compile(
    r"(?:(?:/|%2F)(?:home|Users)(?:/|%2F)|\b[A-Za-z]:(?:\\{1,4}|/)[Uu]sers(?:\\{1,4}|/))"
    r"(?!(?:user|me|you|USER|Shared|Public)(?![\w.-])|<)"
    r"(?P<user>[\w.-]+ [A-Z][\w.-]*(?=[/\\])|[\w.-]*\w)"
)


def has_card_digits(text: str) -> bool:
    """Whether digits are those of a payment card, by their check digit (Luhn)."""
    digits = re.sub(r"\D", "", text)
    if digits[:1] not in ("2", "3", "4", "5", "6") or len(set(digits)) == 1:
        return False
    doubled = [int(d) * (2 if i % 2 else 1) for i, d in enumerate(reversed(digits))]
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def has_iban_digits(text: str) -> bool:
    """Whether letters are those of a bank account, by their check digits."""
    letters = text.replace(" ", "")
    if not 15 <= len(letters) <= 34:
        return False
    moved = letters[4:] + letters[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1
