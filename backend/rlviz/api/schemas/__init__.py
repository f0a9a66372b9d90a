"""What goes over the wire, a module a subject. The TypeScript types are generated from these."""
