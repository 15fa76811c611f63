import importlib.resources, time
from apycula import chipdb
t=time.time()
from pathlib import Path
import apycula
db=chipdb.load_chipdb(str(Path(apycula.__file__).parent/"GW1N-9C.msgpack.xz"))
print(time.time()-t)
print(type(db), [k for k in db.packages if "9QN88" in k][:4], list(db.packages.items())[:2])
part="GW1NR-LV9QN88PC6/I5"
print(db.packages.get(part))
pkg,dev,spd=db.packages[part]
print(list(db.pinout[dev][pkg].items())[:5], db.pinout[dev][pkg].get("52"))
