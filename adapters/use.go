package adapters

// Use is an adapter with one of its variants.
type Use struct {
	Variant  string
	OwnLease bool // the library is told no lease
	Declares Declares
	Defaults Defaults
	Options  map[string]Option
}

// Use returns how the variant with this name is used; "": the default.
func (m Manifest) Use(variant string) (u Use, err error) {
	v, err := m.Variant(variant)
	if err != nil {
		return u, err
	}
	u = Use{Variant: v.Name, OwnLease: v.OwnLease(), Options: v.Options}
	if u.Declares, err = m.declares(v); err != nil {
		return u, err
	}
	u.Defaults, err = m.defaults(v)
	return u, err
}
