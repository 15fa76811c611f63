# Types of the names that __init__.py imports when they are first used.
from .gateware import Fabric as Fabric
from .gateware.parts.route import RouteComputation as RouteComputation
from .network import Network as Network
from .operations import UserOperation as UserOperation
from .parameters import Choice as Choice
from .parameters import Integer as Integer
from .parameters import parameter as parameter
from .routing import Routing as Routing
from .routing import Turn as Turn
from .routing.compiled.compilable import compilable as compilable
from .topology import LOCAL as LOCAL
from .topology import Banyan as Banyan
from .topology import Baseline as Baseline
from .topology import Cm5 as Cm5
from .topology import CubeConnectedCycles as CubeConnectedCycles
from .topology import FatTree as FatTree
from .topology import Graph as Graph
from .topology import GraphFile as GraphFile
from .topology import Hypercube as Hypercube
from .topology import Kyklos as Kyklos
from .topology import Lcan as Lcan
from .topology import Mesh as Mesh
from .topology import Moebius as Moebius
from .topology import Petersen as Petersen
from .topology import Ring as Ring
from .topology import Rp as Rp
from .topology import SwBanyan as SwBanyan
from .topology import Tcpg as Tcpg
from .topology import Topology as Topology
from .topology import Torus as Torus
from .topology import Trac as Trac
from .topology import WkRecursive as WkRecursive
from .topology.altered import with_classes as with_classes
from .topology.altered import with_nodes as with_nodes
from .topology.altered import without as without

__version__: str
