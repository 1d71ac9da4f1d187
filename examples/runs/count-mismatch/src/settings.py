DEBUG = False
SESSION_COOKIE_SECURE = True
ALLOWED_HOSTS = ["shop.example"]
