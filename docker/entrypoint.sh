#!/usr/bin/env bash
# Run a command with ROS, Sayso's libraries and its ROS packages in the environment. SAYSO_HOME and ROS_HOME_DIR are for tests.
set -eo pipefail

ros="${ROS_HOME_DIR:-/opt/ros/jazzy}"
home="${SAYSO_HOME:-/opt/sayso}"

if [ $# -eq 0 ]; then
  echo "usage: entrypoint COMMAND [ARGUMENT …], such as: ros2 launch sayso_bringup robot.launch.py" >&2
  exit 2
fi
for file in "$ros/setup.bash" "$home/.venv/bin/activate" "$home/install/setup.bash"; do
  if [ ! -f "$file" ]; then
    echo "entrypoint: $file is missing: the image is incomplete, build it again" >&2
    exit 2
  fi
  # shellcheck source=/dev/null
  . "$file"
done
export PATH="$home/bin:$PATH"
if [ ! -d /dev/snd ] && [ -z "${PULSE_SERVER:-}" ]; then
  echo "entrypoint: no sound device, so no microphone and no loudspeaker (see docker/README.md)" >&2
fi
exec "$@"
