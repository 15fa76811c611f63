"""What several test files share: small networks, independent oracles, runners, judges."""
