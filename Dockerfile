# syntax=docker/dockerfile:1
# Sayso on ROS 2 Jazzy. Targets: robot (run time), gazebo (robot plus Gazebo), dev (compilers, tests, training).
#   docker build --target robot -t sayso:robot .
FROM ros:jazzy-ros-base-noble AS base
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
ENV DEBIAN_FRONTEND=noninteractive PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1 MUJOCO_GL=osmesa
COPY docker/packages/robot.txt /tmp/packages/
RUN apt-get update \
 && grep -v '^#' /tmp/packages/robot.txt | xargs apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/*
# UID 1000 is freed for the host user: files in mounted folders then belong to the same user inside and outside.
RUN userdel --remove ubuntu \
 && useradd --create-home --uid 1000 --groups audio,video --shell /bin/bash sayso

FROM base AS build
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
COPY docker/packages/build.txt /tmp/packages/
RUN apt-get update \
 && grep -v '^#' /tmp/packages/build.txt | xargs apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/sayso
# Rarely changed files come first: Docker reinstalls the libraries only when their list changes.
COPY requirements requirements
COPY scripts scripts
COPY Makefile pyproject.toml setup.py ./
COPY src src
COPY ros2_ws ros2_ws
RUN source /opt/ros/jazzy/setup.bash && make setup ROS=system
COPY bin bin
COPY launch launch
COPY config config
COPY models models
COPY LICENSE NOTICE README.md ./
# The build fails if a model differs from the manifest.
RUN source .venv/sayso.sh \
 && .venv/bin/python -c "from sayso.models import manifest, model_path; print(*map(model_path, manifest()))"
RUN source .venv/sayso.sh \
 && colcon build --base-paths ros2_ws/src --build-base build/colcon --install-base install --merge-install \
 && rm -rf build/colcon log

FROM base AS robot
COPY --from=build --chown=sayso:sayso /opt/sayso /opt/sayso
COPY docker/entrypoint.sh /usr/local/bin/entrypoint
USER 1000:1000
WORKDIR /home/sayso
ENV ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST
# Healthy: the motion gate is active. Other nodes may be started one by one.
HEALTHCHECK --interval=10s --timeout=8s --start-period=60s \
  CMD ["entrypoint", "ros2", "lifecycle", "get", "/motion_gate"]
ENTRYPOINT ["entrypoint"]
CMD ["ros2", "launch", "sayso_bringup", "robot.launch.py"]

FROM robot AS gazebo
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
USER 0
COPY docker/packages/gazebo.txt /tmp/packages/
RUN apt-get update \
 && grep -v '^#' /tmp/packages/gazebo.txt | xargs apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/*
USER 1000:1000
CMD ["ros2", "launch", "sayso_bringup", "gazebo.launch.py", "headless:=true"]

FROM build AS dev
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
COPY docker/packages/dev.txt /tmp/packages/
RUN apt-get update \
 && grep -v '^#' /tmp/packages/dev.txt | xargs apt-get install -y --no-install-recommends \
 && rm -rf /var/lib/apt/lists/*
COPY . .
RUN source /opt/ros/jazzy/setup.bash && make setup-all ROS=system && chown -R sayso:sayso /opt/sayso
COPY docker/entrypoint.sh /usr/local/bin/entrypoint
USER 1000:1000
ENTRYPOINT ["entrypoint"]
CMD ["bash"]
