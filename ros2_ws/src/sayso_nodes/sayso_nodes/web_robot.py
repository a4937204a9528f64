"""What the page asks of the robot, done by ROS: services are called from the server's thread, and answered by the executor's."""

from __future__ import annotations

import asyncio
from collections import deque
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
LONGEST_WAIT = 2 * SAMPLE_RATE  # samples of a page whose sound comes faster than it is spoken
TASK_FIELDS = ("id", "kind", "what", "when", "text", "state", "reason")


class WebRobot:
    """The commands of the page (sayso.web.robot.Robot). Sound of the page becomes sound of a microphone."""

    def __init__(self, node: SaysoNode) -> None:
        self._node = node
        self._clients = {name: node.client(name) for name in ("say", "answer", "cancel", "tasks", "stop", "resume")}
        self._audio, self._button = node.publisher("audio"), node.publisher("talk_button")
        self._waiting: deque[NDArray[np.int16]] = deque()  # chunks; the server's thread appends, the executor's takes
        self._rest: NDArray[np.int16] = np.empty(0, np.int16)  # of a chunk
        self._silent = 0  # chunks of silence still to send
        self._held = False
        self._time: float | None = None  # ROS time of the next chunk
        node.every(CHUNK / SAMPLE_RATE, self._publish_sound, steady=True)

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
        """Hear a piece of sound, published in chunks as they are spoken."""
        together = np.concatenate([self._rest, samples])
        whole = len(together) // CHUNK * CHUNK
        self._waiting.extend(np.split(together[:whole], range(CHUNK, whole, CHUNK)) if whole else ())
        self._rest = together[whole:]
        while len(self._waiting) * CHUNK > LONGEST_WAIT:
            self._waiting.popleft()

    def press(self, held: bool) -> None:
        """Tell who waits for the button. After it, silence ends the sentence."""
        self._held = held
        if held:
            self._rest = np.empty(0, np.int16)
        else:
            self._silent = round(SILENCE * SAMPLE_RATE / CHUNK)
        self._button.publish(Bool(data=held))

    def _publish_sound(self) -> None:
        """Publish what has come, and silence after it. ROS time stamps the first chunk; the others follow without a gap."""
        if not self._waiting and (self._held or not self._silent):
            if not self._held:
                self._time = None
            return
        while self._waiting:
            self._publish(self._waiting.popleft())
        if not self._held and self._silent:
            self._silent -= 1
            self._publish(np.zeros(CHUNK, np.int16))

    def _publish(self, samples: NDArray[np.int16]) -> None:
        now = self._node.seconds() - len(samples) / SAMPLE_RATE
        start = now if self._time is None or abs(now - self._time) > 0.5 else self._time
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
