package campaign

// decidedWhys say why the simulator decides a cell in another way than it was measured. missing: it was measured, and is not found in the simulator. They are
// written by people, once a difference has been understood, and tried in order.
var decidedWhys = []explanation{}
