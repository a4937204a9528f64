"""The editor of the home: a domain file and its scene as a draft that is changed, checked, tried, compared and saved."""
