"""Where a link leads: who runs a host, as far as its name tells."""

import re
from collections.abc import Iterator
from enum import StrEnum
from ipaddress import AddressValueError, IPv4Address
from typing import NamedTuple

from skillforge.text import occurrences


class Host(StrEnum):
    """What is known of a host."""

    ADDRESS = "a bare address"
    PASTE = "a paste or file-drop site"
    TUNNEL = "a tunnel to somebody's machine"
    COLLECTOR = "a collector of requests"
    SHORTENER = "a link shortener"
    HOSTILE = "a host that calls itself hostile"
    FREE = "free hosting"
    KNOWN = "a known project"
    LOCAL = "this machine"
    OTHER = "an unknown host"


NAMELESS = (
    Host.ADDRESS,
    Host.PASTE,
    Host.TUNNEL,
    Host.COLLECTOR,
    Host.SHORTENER,
    Host.HOSTILE,
)

_KINDS = {
    Host.PASTE: "pastebin.com rentry.co rentry.org glot.io hastebin.com paste.ee ghostbin.com "
    "controlc.com dpaste.com dpaste.org termbin.com ix.io 0x0.st transfer.sh file.io gofile.io "
    "anonfiles.com catbox.moe litterbox.catbox.moe bashupload.com temp.sh oshi.at mega.nz "
    "mediafire.com pastes.dev paste.rs sprunge.us justpaste.it write.as telegra.ph gist.github.com "
    "gist.githubusercontent.com uguu.se tmpfiles.org filebin.net privatebin.net snippet.host "
    "wetransfer.com sendspace.com zippyshare.com ufile.io cdn.discordapp.com ghostbin.co "
    "pastecode.io paste.c-net.org setup-service.com install.app-distribution.net",
    Host.TUNNEL: "ngrok.io ngrok.app ngrok-free.app ngrok-free.dev ngrok.dev trycloudflare.com "
    "loca.lt localtunnel.me serveo.net localhost.run bore.pub pagekite.me lhr.life tunnelto.dev "
    "duckdns.org no-ip.org ddns.net hopto.org zapto.org dyndns.org devtunnels.ms pinggy.io",
    Host.COLLECTOR: "webhook.site requestbin.com requestbin.net pipedream.net hookbin.com "
    "burpcollaborator.net oastify.com interact.sh oast.fun oast.pro oast.live oast.site oast.me "
    "oast.online beeceptor.com requestcatcher.com canarytokens.com canarytokens.org dnslog.cn "
    "ceye.io ptsv3.com ptsv2.com postb.in mockbin.org webhookrelay.com "
    "request.dev smee.io hookdeck.com typedwebhook.tools",
    Host.SHORTENER: "bit.ly tinyurl.com t.co is.gd cutt.ly rebrand.ly goo.gl shorturl.at ow.ly "
    "v.gd rb.gy t.ly tiny.cc s.id buff.ly lnkd.in clck.ru",
    Host.FREE: "vercel.app netlify.app pages.dev workers.dev github.io gitlab.io web.app firebaseapp.com "
    "herokuapp.com onrender.com glitch.me replit.app repl.co surge.sh r2.dev blogspot.com weebly.com",
    Host.KNOWN: "github.com raw.githubusercontent.com api.github.com get.docker.com sh.rustup.rs "
    "astral.sh bun.sh bun.com deno.land deno.com nodejs.org npmjs.com npmjs.org unpkg.com "
    "jsdelivr.net brew.sh get.sdkman.io install.python-poetry.org pypi.org python.org "
    "claude.ai claude.com anthropic.com openai.com ollama.com ollama.ai get.helm.sh golang.org "
    "go.dev rust-lang.org crates.io google.com googleapis.com gstatic.com microsoft.com "
    "azure.com aka.ms aws.amazon.com amazonaws.com cloudflare.com vercel.com "
    "netlify.com fly.io railway.app railway.com render.com supabase.com supabase.co stripe.com "
    "slack.com notion.com notion.so atlassian.com atlassian.net gitlab.com bitbucket.org "
    "huggingface.co pytorch.org nvidia.com apple.com mozilla.org debian.org ubuntu.com "
    "kubernetes.io k8s.io hashicorp.com docker.com docker.io mise.run mise.jdx.dev get.pnpm.io "
    "starship.rs nixos.org determinate.systems sentry.io datadoghq.com expo.dev flutter.dev "
    "dart.dev wikipedia.org cursor.com adk.dev browser-use.com opencode.ai openclaw.ai docs.rs shadcn.com tailwindcss.com "
    "reactjs.org react.dev w3.org schema.org json-schema.org agentskills.io "
    "cli.sentry.dev foundry.paradigm.xyz solana.com anza.xyz temporal.download tailscale.com "
    "nodesource.com pyenv.run julialang.org gitee.com alicdn.com aliyuncs.com myqcloud.com "
    "antigravity.google get.tur.so get.k3s.io k3d.io kind.sigs.k8s.io sdk.cloud.google.com cursor.sh zed.dev hex.pm elixir-lang.org "
    "haskell.org getcomposer.org rubygems.org rvm.io ngc.nvidia.com dl.google.com conda.io "
    "anaconda.com anaconda.org miniconda.io modal.com replicate.com elevenlabs.io perplexity.ai "
    "mistral.ai cohere.com groq.com x.ai deepseek.com openrouter.ai linear.app figma.com "
    "airtable.com hubspot.com salesforce.com twilio.com sendgrid.com mailgun.com resend.com "
    "shopify.com wix.com wordpress.org reddit.com x.com twitter.com youtube.com linkedin.com "
    "discord.com telegram.org t.me spotify.com dropbox.com trello.com asana.com monday.com",
}
_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_SCHEME = re.compile(r"(?:https?|hxxps?|ftp|wss?)\[?:?\]?\Z")
_REST = re.compile(
    r"(?:[^\s/@\"'<>]{1,80}@)?(\[?[\w%*{}$<>.:\[\]()-]{1,253})([^\s\"'`<>)\]]{0,2000})"
)
_PLACEHOLDER = re.compile(r"[<>{}$*]|^your|^my-|^\.\.\.|^host$|^server$|^url$")
_HOSTILE = re.compile(
    r"\b(?:evil|attack(?:er)?s?|malicious|malware|exfil\w*|c2|payload|backdoor|stealer|"
    r"phish\w*|rogue|badguy|villain|trojan|botnet|darkweb|drop-?zone|sink\.bad)\b"
)
_WEBHOOK = re.compile(r"/api/webhooks/")
_LOCAL = re.compile(
    r"localhost|.*\.local(?:host)?|.*\.internal|.*\.lan|host\.docker\.internal"
)


class Link(NamedTuple):
    """A link in a text: its host, what is known of it, and where it stands."""

    host: str
    kind: Host
    is_plain: bool  # http, which anybody on the way can change
    offset: int
    rest: str


def links(text: str) -> Iterator[Link]:
    """The links of a text in lower case; defanged ones (`hxxp`, `[.]`) too."""
    for at in occurrences(text, "//"):
        scheme = _SCHEME.search(text, max(0, at - 9), at)
        match = _REST.match(text, at + 2) if scheme else None
        if scheme is None or match is None:
            continue
        host = match[1].replace("[.]", ".").replace("(.)", ".")
        host = re.sub(r":\d*\Z", "", host).rstrip(".:()[]*")
        if host and not _PLACEHOLDER.search(host):
            is_plain = scheme[0].startswith(("http:", "hxxp:", "ftp"))
            yield Link(host, judge(host, match[2]), is_plain, scheme.start(), match[2])


def judge(host: str, rest: str = "") -> Host:
    """What is known of a host."""
    if "discord" in host and _WEBHOOK.search(rest):
        return Host.COLLECTOR
    if re.fullmatch(r"[\d.]+|0x[0-9a-f]+", host):
        return _judge_address(host)
    if _LOCAL.fullmatch(host):
        return Host.LOCAL
    parts = host.split(".")
    for start in range(len(parts) - 1):
        if found := _BY_NAME.get(".".join(parts[start:])):
            return found
    return Host.HOSTILE if _HOSTILE.search(host) else Host.OTHER


def _judge_address(host: str) -> Host:
    try:
        address = IPv4Address(host)
    except AddressValueError:
        return Host.ADDRESS
    near = address.is_private or address.is_loopback or address.is_link_local
    documented = str(address).startswith(("192.0.2.", "198.51.100.", "203.0.113."))
    return Host.LOCAL if near and not documented else Host.ADDRESS
