package flip

// Lines is how many signals a client has something under way for.
func Lines(c *Client) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lines)
}
