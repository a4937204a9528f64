"""A skill of one's own in Python: the robot greets a person and turns a little to and fro."""

from sayso.robot import Step, own_skill


@own_skill
def wave(body, recipient):
    """Wave to a person."""
    body.robot.say(f"Hello, {body.spoken(recipient)}!")
    for tick in range(40):  # 20 ticks a second: 2 s
        body.robot.drive(0.0, 0.5 if tick % 20 < 10 else -0.5)  # m/s forwards, rad/s to the left
        yield Step("waving", tick / 40)
