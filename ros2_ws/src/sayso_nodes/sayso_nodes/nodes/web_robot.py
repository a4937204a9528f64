"""What the page asks of the robot, done by ROS. It runs in the server's thread; the executor's gets the answers of services."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sayso_msgs.srv import Answer, Cancel, Say, Tasks
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from sayso.errors import RosError
from sayso.types import SAMPLE_RATE, AudioChunk
from sayso_nodes.conversions import to_message
from sayso_nodes.lifecycle_node import SaysoNode

ANSWERED_WITHIN = 10.0  # s
STOP_AGAIN, STOP_WITHIN = 0.15, 5.0  # s
CHUNK = SAMPLE_RATE // 25  # samples, as the microphone's
SILENCE = 1.5  # s after the button is released, which end the sentence for a recogniser that listens always
FARTHEST = 2.0  # s of sound that a page may send before it can have been spoken
GAP = 0.5  # s without sound, after which it is no longer the same piece
LOST = 0.3  # s without sound, after which a recogniser drops the sentence that it was hearing
TASK_FIELDS = ("id", "kind", "what", "when", "text", "state", "reason")


class WebRobot:
    """The commands of the page (sayso.web.robot.RobotLink). Sound of the page becomes sound of a microphone."""

    def __init__(self, node: SaysoNode) -> None:
        self._node = node
        self._clients = {name: node.client(name) for name in ("say", "answer", "cancel", "tasks", "stop", "resume")}
        self._audio, self._button = node.publisher("audio"), node.publisher("talk_button")
        self._rest: NDArray[np.int16] = np.empty(0, np.int16)  # of a chunk
        self._time: float | None = None  # ROS time of the next chunk
        self._silence: asyncio.Task[None] | None = None

    async def say(self, text: str) -> str:
        """Hand a sentence over."""
        answer = await self._call("say", Say.Request(text=text))
        if not answer.accepted:
            raise RosError(answer.message)
        return str(answer.utterance_id)

    async def answer(self, text: str, utterance_id: str) -> str:
        """Answer the robot's question."""
        answer = await self._call("answer", Answer.Request(text=text, utterance_id=utterance_id))
        if not answer.accepted:
            raise RosError(answer.message)
        return str(answer.message)

    async def stop(self) -> str:
        """Stop the robot: the call is repeated until it is answered."""
        calls, until = 0, asyncio.get_running_loop().time() + STOP_WITHIN
        while asyncio.get_running_loop().time() < until:
            calls += 1
            try:
                answer = await self._call("stop", Trigger.Request(), STOP_AGAIN * calls)
            except RosError:
                await asyncio.sleep(0.02)
                continue
            if answer.success:
                return str(answer.message)
        raise RosError("the motion gate does not answer: use the robot's own switch")

    async def resume(self) -> str:
        """Let the robot move again."""
        answer = await self._call("resume", Trigger.Request())
        if not answer.success:
            raise RosError(answer.message)
        return str(answer.message)

    async def cancel(self, utterance_id: str) -> str:
        """Drop a command."""
        answer = await self._call("cancel", Cancel.Request(utterance_id=utterance_id))
        return "cancelled" if answer.running else "it was not being carried out"

    async def tasks(self, command: str, entry: str) -> list[dict[str, Any]]:
        """List what is kept for later, or take it back."""
        answer = await self._call("tasks", Tasks.Request(command=command, id=entry))
        if not answer.success:
            raise RosError(answer.message)
        return [{name: getattr(each, name) for name in TASK_FIELDS} for each in answer.entries]

    def may_talk(self) -> str:
        """Two microphones on one topic would be noise."""
        if self._node.count_publishers("audio") > 1:
            return "the robot's own microphone is on: speak to the robot, or type"
        return "" if self._audio.get_subscription_count() else "the node speech_to_text does not run"

    def talk(self, samples: NDArray[np.int16]) -> None:
        """Hear a piece of sound. It is dropped if much more has come than can have been spoken."""
        together = np.concatenate([self._rest, samples])
        whole = len(together) // CHUNK * CHUNK
        self._rest = together[whole:]
        for chunk in np.split(together[:whole], range(CHUNK, whole, CHUNK)) if whole else ():
            if self._ahead() > FARTHEST + GAP:  # the clock was set back
                self._time = None
            if self._ahead() < FARTHEST:
                self._publish(chunk)

    def press(self, held: bool) -> None:
        """Tell who waits for the button. After it, silence ends the sentence."""
        self._end_silence()
        if held:
            self._rest, self._time = np.empty(0, np.int16), None
        else:
            self._silence = asyncio.get_running_loop().create_task(self._be_silent())
        self._button.publish(Bool(data=held))

    def lose(self) -> None:
        """The page has gone away in mid-sentence: after a gap in the sound, its words count as lost. Half a command may be another one."""
        self._end_silence()
        self._silence = asyncio.get_running_loop().create_task(self._interrupt())

    async def _interrupt(self) -> None:
        await asyncio.sleep(LOST)
        self._time = None
        self._publish(np.zeros(CHUNK, np.int16))
        self._button.publish(Bool(data=False))

    def _end_silence(self) -> None:
        if self._silence is not None:
            self._silence.cancel()
            self._silence = None

    async def _be_silent(self) -> None:
        for _ in range(round(SILENCE * SAMPLE_RATE / CHUNK)):
            self._publish(np.zeros(CHUNK, np.int16))
            await asyncio.sleep(CHUNK / SAMPLE_RATE)

    def _ahead(self) -> float:
        """Seconds by which the sound is ahead of ROS time."""
        return 0.0 if self._time is None else self._time - self._node.seconds()

    def _publish(self, samples: NDArray[np.int16]) -> None:
        """Publish a chunk. The first one has just ended; the others follow without a gap unless the sound was interrupted."""
        start = self._node.seconds() - len(samples) / SAMPLE_RATE
        if self._time is not None and start - self._time < GAP and self._time - start < FARTHEST + GAP:
            start = self._time
        self._time = start + len(samples) / SAMPLE_RATE
        self._audio.publish(to_message(AudioChunk(samples, start)))

    async def _call(self, name: str, request: Any, within: float = ANSWERED_WITHIN) -> Any:
        """The answer of a service, awaited in the server's thread."""
        client = self._clients[name]
        if not client.service_is_ready():
            raise RosError(f"nobody serves '{name}': a node is missing or starting (see the tab Robot)")
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Any] = loop.create_future()
        call = client.call_async(request)
        call.add_done_callback(lambda done: loop.call_soon_threadsafe(_settle, answered, done))
        try:
            return await asyncio.wait_for(answered, within)
        except TimeoutError:
            client.remove_pending_request(call)
            raise RosError(f"'{name}' did not answer within {within:g} s") from None


def _settle(answered: asyncio.Future[Any], done: Any) -> None:
    if answered.done():
        return
    if done.exception() is not None:
        answered.set_exception(RosError(str(done.exception())))
    else:
        answered.set_result(done.result())
