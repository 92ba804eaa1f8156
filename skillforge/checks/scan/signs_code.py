"""Signs in code: what it fetches, runs, reads, sends, plants and deletes."""

from skillforge.checks.scan.signs import sign

_GET = r"(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|fetch)"
_SUDO = r"(?:sudo\s+(?:-\w+\s+)*)?(?:env\s+)?(?:/usr)?(?:/local)?(?:/bin/)?"
_SH = rf"{_SUDO}(?:ba|z|da|k|fi)?sh\b"
# An interpreter that reads its program from the pipe; with -c or -m it reads data.
_INTO = rf"(?:{_SH}|{_SUDO}(?:python[\d.]*|perl|ruby|node|php|osascript)\b(?!\s+-[a-z])|iex\b|invoke-expression\b)"
_START = r"(?:^|[;&|`({]\s?|\bthen\s+|\bdo\s+|\bsudo\s+|\$\()\s*"
_INSIDE = r"(?:<\(|<<<\s?[\"']?\$\(|\$\(|`)"
_DECODES = r"(?:base64\s+(?:-\w+\s+)*(?:-d|--decode|-di)\b|base64\s+-\w*d\b|xxd\s+-r|\bbase32\s+-d|\buudecode\b|openssl\s+[^\n|]{0,60}-d\b)"
_DECODER = (
    r"(?:b64decode|a85decode|b85decode|b32decode|b16decode|fromhex|unhexlify|rot_?13|atob\(|"
    r"['\"]base64['\"]|marshal\.loads|unescape\(|fromcharcode|frombase64string|decompress\()"
)
_EXEC = (
    r"(?:(?<![\w.])(?:exec|eval|compile)|new function|os\.(?:system|popen)|"
    r"builtins\.(?:exec|eval)|execsync|vm\.runin\w+|child_process\.\w+)\s?\("
)
_STARTUP = (
    r"(?:authorized_keys|launchagents|launchdaemons|/etc/rc\.local|\.git/hooks/|autostart/|"
    r"\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)\b|/etc/systemd|"
    r"\.config/systemd|ld\.so\.preload|profile\.d/|/etc/cron|/etc/sudoers)"
)
_EVERYTHING = (
    r"[\"']?(?:/(?:\*|\s|$|[\"';])|~/?(?:\*|\s|$|[\"';])|\$\{?home\}?/?(?:\*|[\"'\s;]|$)|"
    r"/(?:etc|usr|var|home|bin|boot|lib|root|users|system)(?:/\*)?(?:[\s;\"']|$)|"
    r"--no-preserve-root|~/(?:documents|desktop|\.\*|\.(?:config|ssh|aws|npm|gnupg)\b))"
)

CODE_SIGNS = (
    sign("fetch-run", "curl|wget|iwr|irm|invoke-|fetch ",
         rf"\b{_GET}\b[^\n|;]{{0,400}}\|[\s&]*(?:tee\s[^\n|]{{0,80}}\|\s*)?{_INTO}",
         rf"(?:{_SH}|\bpython\d?)\s+(?:-\w+\s+)*[\"']?{_INSIDE}\s*{_GET}\b[^\n]{{0,300}}",
         rf"(?:\beval|\bsource|^\s*\.)\s+[\"']?{_INSIDE}\s*{_GET}\b[^\n]{{0,300}}",
         r"\b(?:iex|invoke-expression)\b[^\n]{0,60}\b(?:iwr|irm|invoke-w\w+|invoke-r\w+)\b[^\n]{0,200}",
         rf"\|\s*xargs\s[^\n|]{{0,40}}{_GET}\b[^\n|;]{{0,200}}\|\s*{_INTO}"),
    sign("fetch-run", "downloadstring|mshta|regsvr32|rundll32|exec(|eval(|function(|import(",
         r"downloadstring\([^\n]{0,300}",
         r"\bmshta\s+[\"']?(?:https?|hxxps?|vbscript|javascript):[^\n]{0,200}",
         r"\bregsvr32\b[^\n]{0,60}/i:http[^\n]{0,100}",
         rf"{_EXEC}\s?[^\n]{{0,80}}(?:requests\.get|urlopen|urllib\.request|httpx\.get|fetch\(|axios\.get|\.text\b)[^\n]{{0,300}}",
         r"\bimport\(\s?[\"'`]https?://[^\n]{0,200}"),
    sign("fetch-file", "curl|wget|urlretrieve|iwr|invoke-webrequest|downloadfile|certutil|bitsadmin|write_bytes|.content",
         rf"\b{_GET}\b[^\n|]{{0,300}}(?:\s-o\s|\s-o[\"'/~$\w]|--output|--remote-name|-outfile|\s-\w*o\b|>\s?[\w/~.$])[^\n]{{0,200}}",
         r"\b(?:urlretrieve|downloadfile)\([^\n]{0,300}",
         r"\bwget\s[^\n]{0,60}https?:[^\n]{0,300}",
         r"\bcertutil\b[^\n]{0,60}-urlcache[^\n]{0,300}",
         r"\bbitsadmin\b[^\n]{0,20}/transfer[^\n]{0,300}"),
    sign("run-file", "chmod|./|sh |python|start|open |os.exec|subprocess|/tmp/|.exe|xattr|source |dpkg|installer",
         r"\bchmod\s+(?:[ugoa]*\+x|[0-7]?7[0-7]{2})\s[^\n]{0,120}",
         r"(?:^|[;&|]\s*|\bthen\s|\bdo\s)(?:sudo\s+|nohup\s+)?(?:\./[\w.-]+|/tmp/\S+|\$tmpdir/\S+|source\s+/tmp/\S+)[^\n]{0,80}",
         r"(?:^|[;&|]\s*|\bsudo\s+|\bnohup\s+)(?:ba|z)?sh\s+[/~$.\w-]+[^\n]{0,60}",
         r"(?:^|[;&|]\s*)(?:python3?|node)\s+/?(?:tmp|var/tmp)/\S+",
         r"(?:^|[;&|]\s*)open\s+\S+\.(?:app|pkg|dmg)|\bstart(?:-process)?\s+\S+\.(?:exe|bat|msi)|\b\w+\.exe\b",
         r"subprocess\.\w+\([^\n]{0,20}(?:bash|sh|python|chmod)\b[^\n]{0,100}|os\.(?:startfile|exec\w+)\("),
    sign("decode-run", "base64|b64|xxd|uudecode|openssl|base32",
         rf"{_DECODES}[^\n|]{{0,120}}\|\s*(?:gunzip\s*\|\s*|xargs\s+(?:-\S+\s+)*)?(?:{_INTO}|curl\b)",
         rf"(?:{_SH}\s+(?:-\w+\s+)*|\beval\s+|\bsource\s+)[\"']?{_INSIDE}[^\n]{{0,400}}?{_DECODES}"),
    sign("decode-run", "decode|fromhex|unhexlify|rot|atob|base64|marshal|unescape|fromcharcode|decompress",
         rf"{_EXEC}\s?[^\n]{{0,120}}?{_DECODER}",
         r"(?:iex|invoke-expression)\b[^\n]{0,200}frombase64string|frombase64string[^\n]{0,200}(?:iex|invoke-expression|\.load\()",
         r"(?:pickle|marshal)\.loads\([^\n]{0,80}(?:b64decode|fromhex|decompress)"),
    sign("decode-run", "-e|rev|tr |rot13|gunzip|zcat|cat ",
         rf"\bcat\s+[^\n|;&]{{1,40}}\*[^\n|;&]{{0,40}}\|\s*{_SH}",
         r"\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,120}\s-e(?:nc|ncodedcommand|c)?\s+[\w+/=$]{12,}",
         rf"(?:\|\s*rev|\|\s*tr\s+\S+\s+\S+|gunzip\s+-c|zcat|rot13)[^\n|]{{0,60}}\|\s*{_SH}"),
    sign("decode", "decode|fromhex|unhexlify|atob|base64|rot13|rot_13|fromcharcode|chr(|[::-1]|decompress|^ |xor",
         rf"{_DECODER}|{_DECODES}",
         r"(?:chr\([^)\n]{1,40}\)[^\n]{0,12}){3}|\[::-1\]|chr\([^)\n]{0,30}\^|bytes\(\s?\w+\s?\^|\bxor\b"),
    sign("exec", "exec|eval|function|system|popen|__import__|iex|invoke-expression|child_process|pickle|marshal",
         rf"{_EXEC}(?!\s?\))", r"(?<![\w.])__import__\s?\(", r"\binvoke-expression\b|\biex\b",
         r"(?:^|[;&|]\s?)eval\s+[\"']?\$", r"(?:pickle|marshal|dill)\.loads?\("),
    sign("runs-text", "exec|eval|function",
         r"(?<![\w.\"'#])(?:exec|eval)\s?\((?!\s?[)\"'])[^\n]{0,80}|new function\s?\(|builtins\.(?:exec|eval)|getattr\(__builtins__"),

    sign("key-file", "ssh|id_rsa|id_ed|aws|netrc|git-credentials|gnupg|kube|docker|keychain|wallet|cookies|login data|shadow|solana|history|auth.json|hosts.yml|npmrc|pypirc|metamask|exodus|electrum|gcloud|azure|-password|auth-profiles|claude|openclaw|clawdbot|moltbot|hermes|passwd|seed|keystore",
         r"[~/.\\\"']ssh[/\\\"']{1,3}[\s,\"'/]{0,4}(?:id_\w+\b(?!\.pub)|\*|authorized_keys|config\b)|[~/\\\"']\.ssh/?(?=[\"'\s)|;,*`]|$)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)",
         r"\.aws[/\\\"',\s]{1,4}credentials|\.netrc\b|\.git-credentials|\.gnupg\b|\.kube[/\\\"',\s]{1,4}config|\.docker[/\\\"',\s]{1,4}config\.json|\.(?:npm|pypi)rc\b",
         r"find-(?:generic|internet)-password|dump-keychain|login\.keychain|library/keychains|/etc/shadow\b|(?:cat|@|<|open\(.)\s?/etc/passwd\b",
         r"\blogin data\b|(?:chrome|firefox|brave|edge|chromium)[^\n]{0,40}[/\\](?:cookies|login data|local state)|cookies\.sqlite|logins\.json",
         r"wallet\.dat|\.config/solana|solana/id\.json|metamask|exodus\.wallet|\.electrum|\.ethereum/keystore",
         r"\.?(?:bash|zsh|fish)_history|\.codex/auth\.json|application_default_credentials|gcloud/credentials|\.azure/|gh/hosts\.yml",
         r"\.(?:openclaw|clawdbot|moltbot|hermes)/[^\s\n]{0,40}(?:\.env|openclaw\.json|clawdbot\.json|auth|credential|\.key|identity)|auth-profiles\.json|\.claude/\.credentials|\.claude\.json"),
    sign("env-file", ".env",
         r"(?:\bcat|open\(|\bread\w*|\btype|get-content|\bgrep|\bcp|\btar|\bzip|\bfind|glob|@|head|tail|path\()[^\n]{0,60}[\s/\"'*~]\.env\b(?!\.(?:example|sample|template)|ironment)"),
    sign("env-all", "env|environ",
         r"(?:^|[;|&`]\s?|\$\(|[\"'])(?:printenv|env)\s?(?:\|(?!\s?(?:head|wc|\|))|>\s?[\w/~$.]|\)|\s@?-)|\bexport -p\b|/proc/(?:self|\d+|\*)/environ",
         r"(?:dict|str|list|dumps|repr|urlencode)\s?\(\s?(?:os\.)?environ\s?[),]|json\s?=\s?(?:dict\()?os\.environ\b|data\s?=\s?(?:dict\()?os\.environ\b",
         r"(?:for|if)\s[^\n]{0,40}\bin\s+(?:dict\()?os\.environ(?:\.items\(\)|\.keys\(\))?\)?(?:\s?:|\s+if\b|\s?\]|\s?\})",
         r"(?:stringify|entries|keys)\(\s?process\.env\s?[),]|get-childitem\s+env:|\bgci\s+env:|\bdir\s+env:",
         r"\benv\s?\|\s?(?:grep|base64|curl|sort)|\$\(env\b"),
    sign("env-secret", "$|environ|process.env|getenv",
         r"\$\{?(?:\w*_)?(?:token|secret|password|passwd|api_?key|credential\w*|private_key|access_key|\w*_key|env_name|mnemonic)\}?\b",
         r"(?:environ(?:\.get)?[\[(]|getenv\(|process\.env\.)\s?[\"']?\w*(?:token|secret|password|key|credential)\w*"),
    sign("memory-file", "soul.md|memory.md|agents.md|claude.md|identity.md|heartbeat.md|user.md|gemini.md|.cursorrules|copilot-instructions|settings.json|mcp.json|desktop_config|skill.md|.claude/skills|skills folder|skills dir|bootstrap.md",
         r"\b(?:soul|memory|agents|claude|identity|heartbeat|user|gemini|bootstrap|tools)\.md\b|\.cursorrules|copilot-instructions\.md",
         r"\.claude/settings(?:\.local)?\.json|\.vscode/settings\.json|claude_desktop_config\.json|\.?mcp\.json|\.claude/skills\b"),
    sign("metadata-service", "169.254.169.254|metadata.google", r"169\.254\.169\.254|metadata\.google\.internal"),

    sign("send", "curl|wget|post|put|request|sock|nc |ncat|netcat|scp|rsync|mail|smtp|axios|beacon|upload|connect",
         r"\bcurl\b[^\n]{0,300}(?:\s-d\b|\s-d[\"'@$]|--data|\s-f\s|\s-f[\"'\w]+=|--form|\s-t\s|--upload-file|-x\s?[\"']?(?:post|put)\b)",
         r"\bcurl\b[^\n]{0,200}https?://[^\s\"']{0,200}[?&/=](?:\$[({]?\w|`)|\bwget\b[^\n]{0,200}(?:--post|[?&]\w+=\$)",
         r"\b(?:requests|httpx|session|client|http|axios|aiohttp|_?s)\.(?:post|put|request)\(|\burlopen\([^\n]{0,160}(?:data|\breq|\+|\{)|\burlopen\([^\n,]{1,120},\s?[a-z_]+[.,)](?!imeout)",
         r"urllib\.request\.request\([^\n]{0,200}(?:data|method)|\bmethod['\"]?\s?[:=]\s?['\"](?:post|put)\b|\bfetch\([^\n]{0,160}(?:\?\w+=|\$\{)",
         r"\.connect\(\s?\(|\.sendall?\(|\.sendto\(|\b(?:nc|ncat|netcat)\s+(?:-\w+\s+)*[\w.$-]+\s+\d{2,5}|>\s?/dev/tcp/",
         r"\b(?:scp|rsync|sftp)\b[^\n]{0,160}\w@[\w.-]+:|smtplib|\bsendmail\b|\bmail\s+-s\b|sendbeacon|upload(?:string|data|file)\(",
         r"invoke-(?:webrequest|restmethod)[^\n]{0,160}-method\s+[\"']?(?:post|put)|http\.client\.https?connection|\bconn\.request\(|https?\.request\("),
    sign("send", "nslookup|dig |host |gethostbyname|resolve|ping ",
         r"(?:nslookup|\bdig|\bhost|\bping)\s+[^\n]{0,60}(?:\$\(|`|\$\{?\w+\}?\.)[^\n]{0,80}",
         r"(?:gethostbyname|getaddrinfo|resolve\w*)\([^\n)]{0,80}[+{%]"),
    sign("copy-out", "git |aws |gsutil|rclone",
         r"\bgit\s+(?:push|remote\s+(?:add|set-url))\s[^\n]{0,80}(?:https?://|git@|ssh://)",
         r"\baws\s+s3\s+(?:cp|sync|mv)\s[^\n]{0,120}s3://|\brclone\s+(?:copy|sync)\b|\bgsutil\s+(?:-m\s+)?cp\b"),
    sign("get", "curl|wget|requests.get|httpx.get|urlopen|fetch(|axios.get|iwr|irm|invoke-",
         r"\b(?:curl|wget|iwr|irm|invoke-webrequest)\s[^\n]{0,200}(?:https?://|\b\w[\w-]*\.\w)|(?:requests|httpx|axios)\.get\(|urlopen\(|\bfetch\(\s?[`\"']https?:"),

    sign("reverse-shell", "/dev/tcp|/dev/udp|nc|dup2|pty.spawn|mkfifo|socat|tcpclient|fsockopen|sh -i|telnet|net.connect|net.socket|spawn(",
         r"(?:>&?|<>?|&>)\s?/dev/(?:tcp|udp)/[\w.${}\"-]+/[\w${}\"]+[^\n]{0,30}(?:0?>&1|0<&1|<&)|\bsh\s+-i\b[^\n]{0,60}/dev/(?:tcp|udp)/|exec\s+\d*<>\s?/dev/tcp/[\d.]+/",
         r"\b(?:nc|ncat|netcat)(?:\.\w+)?\b[^\n|;]{0,80}\s-\w*[ec]\s?[\"']?(?:/bin/|/usr/bin/)?(?:(?:ba|z|da)?sh\b|cmd|powershell)",
         r"mkfifo[^\n]{0,200}\|[^\n]{0,80}(?:nc|ncat|openssl|telnet)\b|\bmknod\s[^\n]{0,80}\bnc\b|socat\b[^\n]{0,100}exec:",
         r"dup2\([^\n]{0,40}fileno|pty\.spawn\(\s?[\"']|net\.sockets\.tcpclient|fsockopen\([^\n]{0,200}(?:exec|sh)\b",
         r"(?:net\.connect|net\.socket|\.connect)\([^\n]{0,200}(?:\.pipe\(\w*\.?stdin|spawn\()|spawn\([\"'](?:/bin/)?(?:ba)?sh[\"'][^\n]{0,200}\.pipe\(",
         r"\btelnet\b[^\n|]{0,60}\|\s*(?:/bin/)?(?:ba)?sh"),
    sign("fake-dialog", "display dialog|[sudo]|get-credential",
         r"display dialog[^\n]{0,160}password[^\n]{0,120}hidden answer|read\s+-\w*s\w*\s[^\n]{0,40}\[?sudo\]?\s+password"),
    sign("miner", "xmrig|stratum+|cryptonight|minerd", r"\bxmrig\b|stratum\+(?:tcp|ssl)|cryptonight|\bminerd\b"),

    sign("persist", "crontab|cron|authorized_keys|launch|systemctl|systemd|schtasks|currentversion|rc.local|.bashrc|.zshrc|profile|git/hooks|autostart|zshenv|customize|ld.so|hookspath|sudoers|hooks|.pth",
         r"\bcrontab\s+(?:-\s|-$|<|[/\w.]+\.(?:txt|cron)|/tmp)|\|\s*crontab\b|>\s?/etc/cron|@reboot\b",
         rf"(?:>>?|tee\s+(?:-a\s)?|open\(|append\w*\(|writefile\w*\(|write_text\()[^\n]{{0,80}}{_STARTUP}",
         rf"{_STARTUP}[\"')]{{1,4}}[^\n]{{0,60}}(?:['\"]a[+b]?['\"]|append|write)",
         r"launchctl\s+(?:load|bootstrap|submit)|systemctl\s+(?:--user\s+)?enable|schtasks[^\n]{0,60}/create|currentversion\\+run",
         r"\b(?:user|site)customize(?:\.py)?\b|core\.hookspath"),
    sign("ssh-key", "authorized_keys|ssh-rsa aaaa|ssh-ed25519 aaaa",
         r"(?:>>?|tee\s(?:-a\s)?|append\w*|\badd\b|write\w*|open\()[^\n]{0,200}authorized_keys", r"authorized_keys[^\n]{0,60}(?:append|write|['\"]a['\"])"),
    sign("destroy", "rm |rmtree|mkfs|dd |shred|:(){|remove-item|format |del |rmsync|-delete|wipefs|rimraf",
         rf"{_START}(?:sudo\s+)?rm\s+(?:-{{1,2}}[\w-]+\s+)*(?:-\w*r\w*|--recursive)\s+(?:-{{1,2}}[\w-]+\s+)*{_EVERYTHING}",
         rf"(?:system|popen|run|call|exec\w*|check_output)\(\s?\[?\s?[\"'](?:sudo\s+)?rm[\s\"',]{{1,4}}-\w*r\w*[\s\"',]{{1,4}}{_EVERYTHING}",
         r"rmtree\(\s?(?:os\.path\.expanduser\(\s?)?[\"'](?:/|~/?|~/\.(?:ssh|aws|config|gnupg)/?|/home|/etc|c:\\+)[\"']|rmtree\(\s?(?:pathlib\.)?path\.home\(\)|rmtree\(\s?os\.environ",
         r"\bdd\s+if=[^\n]{0,60}\sof=/dev/(?:sd|nvme|disk|hd|vd)|:\(\)\s?\{\s?:\|:|>\s?/dev/(?:sd[a-z]|nvme\d)\b|rmsync\(\s?[\"'](?:/|~)[\"']",
         r"remove-item[^\n]{0,40}-recurse[^\n]{0,40}(?:c:\\(?:\s|$|\"|\*)|\$env:userprofile|\$home)|\bdel\s+/[sfq]\s[^\n]{0,20}c:\\|\bformat\s+c:|\bfind\s+(?:/|~|\$home)\s[^\n]{0,60}-delete",
         r"\bshred\b[^\n]{0,60}\s(?:/dev/|~/|\$home|/home|/etc)|wipefs\s+-a"),
    sign("erase-traces", "/var/log|history -c|wevtutil|histfile|clear-eventlog|unset hist",
         r"\brm\s+-\w+\s[^\n]{0,80}/var/log/\S*|>\s?/var/log/\S+|\bhistory\s+-c\b|wevtutil\s+cl|clear-eventlog|unset\s+histfile|histfile=/dev/null"),
    sign("weaken", "777|verify|insecure|stricthost|rejectunauth|tls_reject|trusted-host|no-check-cert|unverified|setuid|chown root|+s ",
         r"chmod\s+(?:-r\s+)?0?777\s|chmod\s+(?:u\+s|4755)|verify\s?=\s?false|--insecure\b|stricthostkeychecking[= ]no|rejectunauthorized['\"]?\s?:\s?false",
         r"node_tls_reject_unauthorized|sslverify\s+false|--trusted-host|--no-check-certificate|_create_unverified_context"),
    sign("open-root", "777|chown|setuid|+s |sudoers",
         r"chmod\s+(?:-r\s+)?0?777\s+/\S*[^\n]{0,80}(?:sudo|chown)|chmod\s+u\+s\b|nopasswd"),
    sign("foreign-index", "registry|index-url|install http|install git+|npx |extra-index",
         r"--registry[= ]\s?https?://(?!registry\.npmjs)[^\s]{3,120}|--(?:extra-)?index-url[= ]\s?https?://(?!pypi\.org)[^\s]{3,120}|\bpip3?\s+install\s+(?:-\S+\s+)*https?://(?!github\.com)\S+|\bnpm\s+i(?:nstall)?\s+(?:-\S+\s+)*https?://(?!github\.com)\S+"),
    sign("unguarded", "autoapprove|bypasspermissions|dangerously|auto_approve|autorun|intercept_all|enablealltools|autoaccept",
         r"\bautoapprove(?:all)?['\"]?\s?[:=]\s?(?:true|\[|['\"]\*)|['\"]?bypasspermissions['\"]?|dangerously_?disable\w*['\"]?\s?[:=]\s?true|--dangerously-skip-permissions|chat\.tools\.autoapprove|\bautorun:\s?true|intercept_all:\s?true|auto_approve['\"]?\s?[:=]\s?true"),
    sign("destroy-data", "drop |truncate|rm |push|reset|terraform|kubectl|delete|cancel|unlink|rmtree",
         r"\bdrop\s+(?:database|schema|table)\b|\btruncate\s+table\b|\brm\s+-\w*r\w*\s|git\s+push\s+[^\n]{0,30}(?:--force|-f\b)|git\s+reset\s+--hard|terraform\s+destroy|kubectl\s+delete|\brmtree\("),
    sign("run-script", ".sh|.py|.js|.mjs|.ts|.rb",
         r"\b(?:run|execute|call|calling|running|bash|sh|python3?|node|source)\b[^\n]{0,60}[\w/.-]+\.(?:sh|py|js|mjs|ts|rb)\b|\./[\w/-]+\.(?:sh|py)"),
    sign("inline-run", "!`", r"(?:^|[\s(\"'|>-])!`[^`\n]{1,300}`"),
)  # fmt: skip
