"""Where a store is looked for, and what of its address is ever shown."""

import stat
from pathlib import Path

import pytest

from judge_bundles.errors import StoreError
from judge_bundles.store import location
from judge_bundles.store.store import Store


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(location.VARIABLE, raising=False)
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_by_default_a_private_folder_that_git_ignores_is_made(folder: Path) -> None:
    with Store.open() as store:
        assert store.shown == f"{folder}/.judge-bundles/store.db"
    assert mode(folder / ".judge-bundles") == 0o700
    assert mode(folder / ".judge-bundles/store.db") == 0o600
    assert (folder / ".judge-bundles/.gitignore").read_text() == "*\n"


def test_a_gitignore_that_is_there_is_left_alone(folder: Path) -> None:
    (folder / ".judge-bundles").mkdir()
    (folder / ".judge-bundles/.gitignore").write_text("mine\n")
    Store.open().close()
    assert (folder / ".judge-bundles/.gitignore").read_text() == "mine\n"


def test_the_environment_names_the_store_and_an_argument_is_stronger(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(location.VARIABLE, "sqlite:///from-environment.db")
    assert location.find(None).file == folder / "from-environment.db"
    assert location.find("sqlite:///given.db").file == folder / "given.db"


def test_a_file_of_ones_own_is_readable_by_its_owner_only(folder: Path) -> None:
    Store.open("sqlite:///mine.db").close()
    assert mode(folder / "mine.db") == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["mine.db"]


def test_reading_makes_no_store(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"There is no store at .*Judging makes one"):
        Store.open(create=False)
    assert list(folder.iterdir()) == []


def test_reading_opens_a_store_that_is_there(folder: Path) -> None:
    Store.open().close()
    with Store.open(create=False) as store:
        assert store.runs() == []


def test_a_missing_folder_is_named_and_not_made(folder: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/store\.db could not be created: No such file"):
        Store.open("sqlite:///nowhere/store.db")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "sqlite:///file:x?uri=true"])
def test_a_database_that_forgets_is_refused(folder: Path, url: str) -> None:
    with pytest.raises(StoreError, match="must be a file that outlives the process"):
        Store.open(url)


@pytest.mark.parametrize(
    "text", ["results/store.db", "/hunter2pass", "postgresql//x:hunter2pass@h"]
)
def test_text_that_is_no_url_is_refused_without_being_repeated(folder: Path, text: str) -> None:
    with pytest.raises(
        StoreError, match=r"no database URL. Write for example sqlite:///"
    ) as caught:
        Store.open(text)
    assert text not in str(caught.value)


def test_a_driver_that_is_not_there_says_what_to_install(folder: Path) -> None:
    with pytest.raises(StoreError, match="driver for oracle\\+nothere://u:\\*\\*\\*@h/d"):
        Store.open("oracle+nothere://u:hunter2pass@h/d")


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_no_message_holds_a_password(folder: Path, scheme: str) -> None:
    url = f"{scheme}://me:hunter2pass@127.0.0.1:1/verdicts?connect_timeout=2&password=hunter2query"
    with pytest.raises(StoreError, match="Check that the database server runs") as caught:
        Store.open(url)
    assert "me:***@127.0.0.1:1/verdicts" in str(caught.value)
    chain = [caught.value, caught.value.__cause__]
    assert not any("hunter2" in f"{error} {error!r}" for error in chain)
