"""The robot without ROS: its map, paths through it, following them, and its skills. The simulator's ground truth is never used."""

from sayso.robot.geometry import Pose
from sayso.robot.map import RobotMap
from sayso.robot.path import PathPlanner
from sayso.robot.plugins import own_skill
from sayso.robot.runner import SkillRunner
from sayso.robot.skill import Navigator, Pending, Robot, SkillFailed, Step, Travel

__all__ = ["Navigator", "PathPlanner", "Pending", "Pose", "Robot", "RobotMap", "SkillFailed", "SkillRunner", "Step", "Travel", "own_skill"]
