"""One line of a phone: what of a command is left out, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.oneline import clip, shortened


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("cat /etc/systemd/system/backup.timer", "cat /etc/systemd/system/backup.timer"),  # it fits
        ("cat /etc/systemd/system/backup2.timer", "cat backup2.timer"),
        ("cd /home/ann/ws && pytest -q tests/test_a.py", "pytest -q test_a.py"),
        ("cd /home/ann/ws; cd app; make all the things now", "cd app; make all the things now"),
        ("grep -rn 'nightly' /srv/conf/deploy.conf | sort", "grep -rn 'nightly' deploy.co… | sort"),
        ("grep -rn 'some longer words' deploy.conf | sort -u", "grep -rn 'some longer wor… | sort -u"),
        ("find /var/log/ -name '*.gz' -mtime +30 -delete", "find log/ -name '*.gz' … +30 -delete"),
        ("tar czf /tmp/out.tgz --exclude=/srv/a/b/cache ~/site", "tar czf out.tgz --exclude=cache site"),
        ("sort < /very/long/folder/of/things/in.txt > ../out.txt", "sort < in.txt > out.txt"),
        ("curl -fsS https://example.org/a/b/c/d.json | jq .", "curl -fsS https://example.or… | jq ."),
        ("rsync -a me@host:/srv/data/ /mnt/backup/of/data/", "rsync -a me@host:/srv/data/ data/"),
        ("sed -i s/one/two/g /a/folder/and/another/file.txt", "sed -i s/one/two/g file.txt"),
        ("python3 - <<'X'\nimport os\nprint(os.listdir('.'))\nX", "python3 - <<'X' import …tdir('.')) X"),
        ("x" * 50, f"{'x' * 23}…{'x' * 12}"),
        ("", ""),
    ],
)
def test_what_is_left_of_a_command(text: str, line: str) -> None:
    assert shortened(text, 36) == line


@given(st.text(alphabet=st.sampled_from("ab/.~ '\"\n=:;&|<>-😀"), max_size=200), st.integers(12, 60))
def test_it_is_one_line_and_fits_and_what_fits_stays(text: str, limit: int) -> None:
    for short in (shortened(text, limit), clip(text, limit)):
        assert len(short) <= limit and "\n" not in short
        if len(" ".join(text.split())) <= limit:
            assert short == " ".join(text.split())


def test_a_command_of_a_megabyte_takes_no_time() -> None:
    for part in ("a/", "/", "a ", "=a", "cd x && ", "'"):
        assert len(shortened(part * 500_000, 36)) <= 36
