"""Web: the Flask application: the API, the admin routes, and what is done around every request.

A view reads the body, has the engine answer it, and notes what the log should say. It imports all that lies below.
"""
