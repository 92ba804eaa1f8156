"""Code and words that open a door, stay, or destroy."""

from skillforge.checks.scan.signs.sign import sign

_START = r"(?:^|[;&|`({]\s?|\bthen\s+|\bdo\s+|\bsudo\s+|\$\()\s*"
_STARTUP = (
    r"(?:authorized_keys|launchagents|launchdaemons|/etc/rc\.local|\.git/hooks/|"
    r"autostart/|"
    r"\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)\b|/etc/systemd|"
    r"\.config/systemd|ld\.so\.preload|profile\.d/|/etc/cron|/etc/sudoers)"
)
_EVERYTHING = (
    r"[\"']?(?:/(?:\*|\s|$|[\"';])|~/?(?:\*|\s|$|[\"';])|\$\{?home\}?/?(?:\*|"
    r"[\"'\s;]|$)|"
    r"/(?:etc|usr|var|home|bin|boot|lib|root|users|system)(?:/\*)?(?:[\s;\"']|$)|"
    r"--no-preserve-root|~/(?:documents|desktop|\.\*|\.(?:config|ssh|aws|npm|gnupg)"
    r"/?(?:[\s;\"'*]|$)))"
)

SIGNS = (
    sign(
        "reverse-shell",
        r"(?:>&?|<>?|&>)\s?/dev/(?:tcp|udp)"
        r"/[\w.${}\"-]+/[\w${}\"]+[^\n]{0,30}(?:0?>&1|0<&1|<&)",
        r"\bsh\s+-i\b[^\n]{0,60}/dev/(?:tcp|udp)/",
        r"exec\s+\d*<>\s?/dev/tcp/[\d.]+/",
        r"\b(?:nc|ncat|netcat)(?:\.\w+)?\b[^\n|;]{0,80}\s-\w*[ec]\s?[\"']?(?:/bin/|"
        r"/usr/bin/)?(?:(?:ba|z|da)?sh\b|cmd|powershell)",
        r"mkfifo[^\n]{0,200}\|[^\n]{0,80}(?:nc|ncat|openssl|telnet)\b",
        r"\bmknod\s[^\n]{0,80}\bnc\b",
        r"socat\b[^\n]{0,100}exec:",
        r"dup2\([^\n]{0,40}fileno",
        r"pty\.spawn\(\s?[\"']",
        r"net\.sockets\.tcpclient",
        r"fsockopen\([^\n]{0,200}(?:exec|sh)\b",
        r"(?:net\.connect|net\.socket|\.connect)\([^\n]{0,200}(?:\.pipe\(\w*\.?stdin|"
        r"spawn\()",
        r"spawn\([\"'](?:/bin/)?(?:ba)?sh[\"'][^\n]{0,200}\.pipe\(",
        r"\btelnet\b[^\n|]{0,60}\|\s*(?:/bin/)?(?:ba)?sh",
    ),
    sign(
        "fake-dialog",
        r"display dialog[^\n]{0,160}password[^\n]{0,120}hidden answer",
        r"read\s+-\w*s\w*\s[^\n]{0,40}\[?sudo\]?\s+password",
    ),
    sign(
        "miner",
        r"\bxmrig\b",
        r"stratum\+(?:tcp|ssl)",
        r"cryptonight",
        r"\bminerd\b",
    ),
    sign(
        "persist",
        r"\bcrontab\s+(?:-\s|-$|<|[/\w.]+\.(?:txt|cron)|/tmp)",
        r"\|\s*crontab\b",
        r">\s?/etc/cron",
        r"@reboot\b",
        rf"(?:>>?|tee\s+(?:-a\s)?|open\(|append\w*\(|writefile\w*\(|write_text\()"
        rf"[^\n]{{0,80}}{_STARTUP}",
        rf"{_STARTUP}[\"')]{{1,4}}[^\n]{{0,60}}(?:['\"]a[+b]?['\"]|append|write)",
        r"launchctl\s+(?:load|bootstrap|submit)",
        r"systemctl\s+(?:--user\s+)?enable",
        r"schtasks[^\n]{0,60}/create",
        r"currentversion\\+run",
        r"\b(?:user|site)customize(?:\.py)?\b",
        r"core\.hookspath",
    ),
    sign(
        "ssh-key",
        r"(?:>>?|tee\s(?:-a\s)?|append\w*|\badd\b|write\w*|open\()"
        r"[^\n]{0,200}authorized_keys",
        r"authorized_keys[^\n]{0,60}(?:append|write|['\"]a['\"])",
    ),
    sign(
        "destroy",
        rf"{_START}(?:sudo\s+)?rm\s+(?:-{{1,2}}[\w-]+\s+)*(?:-\w*r\w*|--recursive)"
        rf"\s+(?:-{{1,2}}[\w-]+\s+)*{_EVERYTHING}",
        rf"(?:system|popen|run|call|exec\w*|check_output)\(\s?\[?\s?[\"'](?:sudo\s+)"
        rf"?rm[\s\"',]{{1,4}}-\w*r\w*[\s\"',]{{1,4}}{_EVERYTHING}",
        r"rmtree\(\s?(?:os\.path\.expanduser\(\s?)?[\"'](?:/|~/?|~/\.(?:ssh|aws|"
        r"config|gnupg)/?|/home|/etc|c:\\+)[\"']",
        r"rmtree\(\s?(?:pathlib\.)?path\.home\(\)",
        r"rmtree\(\s?os\.environ",
        r"\bdd\s+if=[^\n]{0,60}\sof=/dev/(?:sd|nvme|disk|hd|vd)",
        r":\(\)\s?\{\s?:\|:",
        r">\s?/dev/(?:sd[a-z]|nvme\d)\b",
        r"rmsync\(\s?[\"'](?:/|~)[\"']",
        r"remove-item[^\n]{0,40}-recurse[^\n]{0,40}(?:c:\\(?:\s|$|\"|\*)|"
        r"\$env:userprofile|\$home)",
        r"\bdel\s+/[sfq]\s[^\n]{0,20}c:\\",
        r"\bformat\s+c:",
        r"\bfind\s+(?:/|~|\$home)\s[^\n]{0,60}-delete",
        r"\bshred\b[^\n]{0,60}\s(?:/dev/(?!null)|~/|\$home|/home|/etc)",
        r"wipefs\s+-a",
    ),
    sign(
        "erase-traces",
        r"\brm\s+-\w+\s[^\n]{0,80}/var/log/\S*",
        r">\s?/var/log/\S+",
        r"\bhistory\s+-c\b",
        r"wevtutil\s+cl",
        r"clear-eventlog",
        r"unset\s+histfile",
        r"histfile=/dev/null",
    ),
    sign(
        "weaken",
        r"chmod\s+(?:-r\s+)?0?777\s",
        r"chmod\s+(?:u\+s|4755)",
        r"verify\s?=\s?false",
        r"--insecure\b",
        r"stricthostkeychecking[= ]no",
        r"rejectunauthorized['\"]?\s?:\s?false",
        r"node_tls_reject_unauthorized",
        r"sslverify\s+false",
        r"--trusted-host",
        r"--no-check-certificate",
        r"_create_unverified_context",
    ),
    sign(
        "open-root",
        r"chmod\s+(?:-r\s+)?0?777\s+/\S*[^\n]{0,80}(?:sudo|chown)",
        r"chmod\s+u\+s\b",
        r"nopasswd\s?:",
    ),
    sign(
        "unguarded",
        r"\bautoapprove(?:all)?['\"]?\s?[:=]\s?(?:true|['\"]\*)",
        r"['\"]?bypasspermissions['\"]?",
        r"dangerously_?disable\w*['\"]?\s?[:=]\s?true",
        r"--dangerously-skip-permissions",
        r"chat\.tools\.autoapprove",
        r"\bautorun:\s?true",
        r"intercept_all:\s?true",
        r"auto_approve['\"]?\s?[:=]\s?true",
    ),
    sign(
        "malware",
        r"\bransom (?:note|demand|payment)",
        r"\bencrypt(?:s)? all (?:\w+\s+)?files\b",
        r"\bkeylog(?:ger|ging)\b",
        r"\binstall(?:s|ing)? (?:a\s+)?(?:backdoor|rootkit)",
        r"\bsteal(?:s|ing)? (?:\w+\s+){0,3}(?:credential|password|token|key|cookie|"
        r"wallet)s?\b",
        r"\bexfiltrate (?:\w+\s+){0,4}(?:to|data|credential|key|secret)",
    ),
    sign(
        "spread",
        r"\b(?:copy|append|inject|insert|propagate|spread|replicate|embed|add)"
        r"\s+(?:this|itself|yourself|the (?:same|following))\b[^\n]{0,60}\b(?:every|"
        r"each|all|other|any)\s+(?:\w+\s+){0,3}(?:skill|skill\.md)s?\b",
        r"\b(?:install|drop)\b[^\n]{0,40}\b(?:hidden|companion|additional)"
        r"\s+(?:\w+\s+)?skill\b",
    ),
    sign(
        "backdoor",
        r"\baccept\b[^\n]{0,40}\b(?:extra|master|second) password\b",
        r"\bpassword\b[^\n]{0,60}\bfor any account\b",
        r"\b(?:address|destination|recipient)\b[^\n]{0,80}\breplace\b[^\n]{0,40}"
        r"(?:0x[0-9a-z]{4}|bc1[0-9a-z]{4})",
        r"\breplace\b[^\n]{0,60}\b(?:address|destination|recipient)\b[^\n]{0,40}"
        r"(?:0x[0-9a-z]{4}|bc1[0-9a-z]{4})",
    ),
    sign(
        "backdoor",
        r"\buse\b[^\n]{0,30}\baddress\b[^\n]{0,40}(?:0x[0-9a-z]{4}|bc1[0-9a-z]{4})"
        r"[^\n]{0,60}\b(?:in its place|instead)\b",
        r"(?:pyperclip|clipboard)\S{0,20}(?:copy|write\w{0,8}|set\w{0,8})\([^\n]{0,20}"
        r"[\"'](?:0x[0-9a-f]{6}|bc1[0-9a-z]{4})",
    ),
    sign(
        "spread",
        r"\bcopy (?:this|the) (?:folder|skill|file)\b[^\n]{0,40}\b(?:all|every|each)\b"
        r"[^\n]{0,30}\b(?:workspaces?|agents?|projects?|repositor\w+)\b",
    ),
)
