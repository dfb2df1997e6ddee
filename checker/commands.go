package checker

// commands returns the Redis commands that make a violation up.
func (c *check) commands(p *pair) []WitnessCommand { return nil }

func foreignDelete(cs []WitnessCommand) bool { return false }
func lateDelete(cs []WitnessCommand) bool    { return false }
