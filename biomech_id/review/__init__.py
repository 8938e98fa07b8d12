"""One page that replays a session and hands decisions back: data packing, HTML, our JavaScript, vendored libraries."""
