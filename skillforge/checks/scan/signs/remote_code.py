"""Code that brings other code along, or hides what it runs."""

from skillforge.checks.scan.signs.sign import sign

_GET = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|fetch)"
_SUDO = (
    r"[({]?\s?(?:sudo\s+(?:-\w+\s+)*)?(?:nohup\s+|busybox\s+|command\s+|exec\s+)?"
    r"(?:(?:/usr/bin/)?env\s+)?(?:/usr)?(?:/local)?(?:/bin/)?"
)
_SH = rf"{_SUDO}(?:ba|z|da|k|fi)?sh\b"
# An interpreter that reads its program from the pipe; with -c or -m it reads data.
_INTO = (
    rf"(?:{_SH}|{_SUDO}(?:python[\d.]*|perl|ruby|node|php|osascript)\b(?!\s+-[a-z])|"
    r"\$\{?shell(?::-\w+)?\}?|iex\b|invoke-expression\b)"
)
_INSIDE = r"(?:<\(|<<<\s?[\"']?\$\(|\$\(|`)"
_DECODES = (
    r"(?:base64\s+(?:-\w+\s+)*(?:-d|--decode|-di)\b|base64\s+-\w*d\b|xxd\s+-r|"
    r"\bbase32\s+-d|\buudecode\b|openssl\s+[^\n|]{0,60}-d\b)"
)
_DECODER = (
    r"(?:b64decode|a85decode|b85decode|b32decode|b16decode|fromhex|unhexlify|rot_?13|"
    r"atob\(|"
    r"['\"]base64['\"]|marshal\.loads|unescape\(|fromcharcode|frombase64string|"
    r"decompress\()"
)
_EXEC = (
    r"(?:(?<![\w.])(?:exec|eval|compile)|new function|os\.(?:system|popen)|"
    r"builtins\.(?:exec|eval)|execsync|vm\.runin\w+|child_process\.\w+)\s?\("
)

SIGNS = (
    sign(
        "fetch-run",
        rf"\b{_GET}\b[^\n|;]{{0,400}}\|(?:[^\n|]{{0,60}}\|){{0,2}}[\s&]*{_INTO}",
        rf"(?:{_SH}|\bpython\d?)\s+(?:-\w+\s+)"
        rf"*[\"']?{_INSIDE}\s*{_GET}\b[^\n]{{0,300}}",
        rf"(?:\beval|\bsource|^\s*\.)\s+[\"']?{_INSIDE}\s*{_GET}\b[^\n]{{0,300}}",
        r"\b(?:iex|invoke-expression)\b[^\n]{0,60}\b(?:iwr|irm|invoke-w\w+|"
        r"invoke-r\w+)\b[^\n]{0,200}",
        rf"\b(?:nc|ncat|ssh)\s[^\n|;]{{0,100}}\|\s*{_INTO}",
        rf"\|\s*xargs\s[^\n|]{{0,40}}{_GET}\b[^\n|;]{{0,200}}\|\s*{_INTO}",
    ),
    sign(
        "fetch-run",
        r"downloadstring\([^\n]{0,300}",
        r"\bmshta\s+[\"']?(?:https?|hxxps?|vbscript|javascript):[^\n]{0,200}",
        r"\bregsvr32\b[^\n]{0,60}/i:http[^\n]{0,100}",
        rf"{_EXEC}\s?[^\n]{{0,80}}(?:requests\.get|urlopen|urllib\.request|"
        rf"httpx\.get|fetch\(|axios\.get|\.text\b)[^\n]{{0,300}}",
        r"\bimport\(\s?[\"'`]https?://[^\n]{0,200}",
    ),
    sign(
        "fetch-file",
        rf"\b{_GET}\b[^\n|]{{0,300}}(?:\s-o\s|\s-o[\"'/~$\w]|--output|--remote-name|"
        rf"-outfile|\s-\w*o\b|>\s?[\w/~.$])[^\n]{{0,200}}",
        r"\b(?:urlretrieve|downloadfile)\([^\n]{0,300}",
        r"\bwget\s[^\n]{0,60}https?:[^\n]{0,300}",
        r"\bcertutil\b[^\n]{0,60}-urlcache[^\n]{0,300}",
        r"\bbitsadmin\b[^\n]{0,20}/transfer[^\n]{0,300}",
    ),
    sign(
        "run-file",
        r"\bchmod\s+(?:[ugoa]*\+x|[0-7]?7[0-7]{2})\s[^\n]{0,120}",
        r"(?:^|[;&|]\s*|\bthen\s|\bdo\s)(?:sudo\s+|nohup\s+)?(?:\./[\w.-]+|/tmp/\S+|"
        r"\$tmpdir/\S+|source\s+/tmp/\S+)[^\n]{0,80}",
        r"(?:^|[;&|]\s*|\bsudo\s+|\bnohup\s+)(?:ba|z)?sh\s+[/~$.\w-]+[^\n]{0,60}",
        r"(?:^|[;&|]\s*)(?:python3?|node)\s+/?(?:tmp|var/tmp)/\S+",
        r"(?:^|[;&|]\s*)open\s+\S+\.(?:app|pkg|dmg)",
        r"\bstart(?:-process)?\s+\S+\.(?:exe|bat|msi)",
        r"(?:^|[;&|]\s*|\b(?:run|start|launch|open)\s+)[`\"']?[\w./\\-]+\.exe\b(?!\s-)",
        r"subprocess\.\w+\([^\n]{0,20}(?:bash|sh|python|chmod)\b[^\n]{0,100}",
        r"os\.(?:startfile|exec\w+)\(",
        r"(?:^|[;&|]\s*)(?:\.|source)\s+/?(?:tmp|var/tmp|dev/shm)/\S+",
    ),
    sign(
        "decode-run",
        rf"{_DECODES}[^\n|]{{0,120}}\|\s*(?:gunzip\s*\|\s*|xargs\s+(?:-\S+\s+)*)"
        rf"?(?:{_INTO}|curl\b)",
        rf"(?:{_SH}\s+(?:-\w+\s+)*|\beval\s+|\bsource\s+)"
        rf"[\"']?{_INSIDE}[^\n]{{0,400}}?{_DECODES}",
    ),
    sign(
        "decode-run",
        rf"{_EXEC}\s?[^\n]{{0,120}}?{_DECODER}",
        r"(?:iex|invoke-expression)\b[^\n]{0,200}frombase64string",
        r"frombase64string[^\n]{0,200}(?:iex|invoke-expression|\.load\()",
        r"(?:pickle|marshal)\.loads\([^\n]{0,80}(?:b64decode|fromhex|decompress)",
    ),
    sign(
        "decode-run",
        rf"\bcat\s+[^\n|;&]{{1,40}}\*[^\n|;&]{{0,40}}\|\s*{_SH}",
        r"\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}\s-e(?:nc|ncodedcommand|c)"
        r"?\s+[\w+/=$]{12,}",
        rf"(?:\|\s*rev|\|\s*tr\s+\S+\s+\S+|gunzip\s+-c|zcat|rot13)[^\n|"
        rf"]{{0,60}}\|\s*{_SH}",
    ),
    sign(
        "decode",
        rf"{_DECODER}",
        rf"{_DECODES}",
        r"(?:chr\([^)\n]{1,40}\)[^\n]{0,12}){3}",
        r"\[::-1\]",
        r"chr\([^)\n]{0,30}\^",
        r"bytes\(\s?\w+\s?\^",
        r"\bxor\b",
    ),
    sign(
        "exec",
        rf"{_EXEC}(?!\s?\))",
        r"(?<![\w.])__import__\s?\(",
        r"\binvoke-expression\b",
        r"\biex\b",
        r"(?:^|[;&|]\s?)eval\s+[\"']?\$",
        r"(?:pickle|marshal|dill)\.loads?\(",
    ),
    sign(
        "runs-text",
        r"\[['\"](?:eval|exec|function)['\"]\]\s?\(",
    ),
    sign(
        "runs-text",
        r"(?<![\w.\"'#])(?:exec|eval)\s?\((?!\s?[)\"'])[^\n]{0,80}",
        r"new function\s?\(",
        r"builtins\.(?:exec|eval)",
        r"getattr\(__builtins__",
    ),
    sign(
        "get",
        r"\b(?:curl|wget|iwr|irm|invoke-webrequest)\s[^\n]{0,200}(?:https?://|"
        r"\b\w[\w-]*\.\w)",
        r"(?:requests|httpx|axios)\.get\(",
        r"urlopen\(",
        r"\bfetch\(\s?[`\"']https?:",
    ),
    sign(
        "foreign-index",
        r"--registry[= ]\s?https?://(?!registry\.npmjs)[^\s]{3,120}",
        r"--(?:extra-)?index-url[= ]\s?https?://(?!pypi\.org)[^\s]{3,120}",
        r"\bpip3?\s+install\s+(?:-\S+\s+)*https?://(?!github\.com)\S+",
        r"\bnpm\s+i(?:nstall)?\s+(?:-\S+\s+)*https?://(?!github\.com)\S+",
    ),
    sign(
        "run-script",
        r"\b(?:run|execute|call|calling|running|bash|sh|python3?|node|source)"
        r"\b[^\n]{0,60}[\w/.-]+\.(?:sh|py|js|mjs|ts|rb)\b",
        r"\./[\w/-]+\.(?:sh|py)",
    ),
    sign(
        "inline-run",
        r"(?:^|[\s(\"'|>-])!`[^`\n]{1,300}`",
    ),
    sign(
        "decode-run",
        rf"\b(?:dig|nslookup)\b[^\n|;]{{0,120}}\|(?:[^\n|]{{0,60}}\|){{0,2}}\s*{_INTO}",
        rf"(?:{_SH}\s+-c|\beval)\s+[\"']?\$\(\s*(?:dig|nslookup)\b[^\n]{{0,120}}",
    ),
    sign(
        "decode-run",
        r"(?:pickle|marshal|dill)\.loads?\([^\n]{0,80}(?:urlopen|requests\.|httpx\.|"
        r"\.content\b)",
        r"(?:\beval|sh\s+-c)\s[^\n]{0,100}\btr\s[^\n]{0,40}n-za-m",
        r"\btail\s+-c\s[^\n]{0,60}>\s?\S+[^\n]{0,20}chmod\s+\+x",
    ),
    sign(
        "ciphered",
        r"chr\(\s?[\w\[\]]{1,20}\s?[-+^]\s?\w",
        r"fromcharcode\([^)\n]{0,40}[-+^]",
        r"=>\s?\w{1,12}\s?\^\s?\w",
        r"\bbytes\(\s?\w{1,12}\s?\^",
    ),
)
