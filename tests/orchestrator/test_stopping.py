from judge_bundles.stopping import Stopping


def test_a_stop_is_asked_for_once_and_stays() -> None:
    stopping = Stopping()
    assert not stopping.requested
    stopping.request()
    stopping.request()
    assert stopping.requested
