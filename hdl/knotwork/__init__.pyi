# Types of the names that __init__.py imports when they are first used.
from .gateware import Fabric as Fabric
from .network import Network as Network
from .topology import Baseline as Baseline
from .topology import Cm5 as Cm5
from .topology import CubeConnectedCycles as CubeConnectedCycles
from .topology import FatTree as FatTree
from .topology import Hypercube as Hypercube
from .topology import Lcan as Lcan
from .topology import Mesh as Mesh
from .topology import Moebius as Moebius
from .topology import Petersen as Petersen
from .topology import Rp as Rp
from .topology import SwBanyan as SwBanyan
from .topology import Tcpg as Tcpg
from .topology import Torus as Torus
from .topology import Trac as Trac
from .topology import WkRecursive as WkRecursive

__version__: str
