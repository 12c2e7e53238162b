"""Prints the prices of a gateway or a service, as JSON: python3 prices.py ws://127.0.0.1:8080 svc-0x82af...
Needs websockets 10 or later (Debian: python3-websockets). A price is printed as long as it is current, then why it is not."""
import asyncio, json, math, os, random, re, signal, sys, time, websockets
def fail(problem): print(problem, file=sys.stderr); sys.exit(2)
def seconds(name, default):
    text = os.environ.get(name, default)
    return float(text) if re.fullmatch(r"(?=.*[1-9])\d*\.?\d+", text) else fail(f"{name}: expected seconds, such as {default}")
STALE_AFTER, MAX_LAG = seconds("STALE_AFTER", "30"), seconds("MAX_LAG", "5")  # without a price; the highest age of a current one
async def consume(url, topics):  # prints the events of one connection, until it ends
    async with websockets.connect(url, max_size=2**20, max_queue=1, compression=None, ping_timeout=2 * MAX_LAG) as socket:
        answered = time.monotonic()  # when the newest answered ping was sent: all data behind its pong is newer
        latest, reasons = {}, {}  # by topic: its price with the time of receipt, and why that is not current
        def report(topic, is_new=False):
            (price, received), now = latest[topic], time.monotonic()
            reason = "behind" if now - answered > MAX_LAG else "silent" if now - received >= STALE_AFTER else None
            is_new, reasons[topic] = is_new or reason != reasons.get(topic), reason
            if is_new and (reason or price): show(topic=topic, **({"stale": reason, "last": price} if reason else {"price": price}))
        def read(frame):
            for topic in frame.get("subscriptions", ()): latest.setdefault(key(topic), (None, time.monotonic()))
            if "subscriptions" in frame: return
            topic, price, age = key(frame["topic"]), frame["price"], frame.get("age", 0.0)  # age: ms since a gateway received it
            if not (type(price) is type(age) is float and 0 < price < math.inf and 0 <= age < math.inf): raise ValueError
            latest[topic] = price, time.monotonic() - age / 1000
            report(topic, is_new=True)
        async def watch():
            nonlocal answered
            while True:
                sent, pong = time.monotonic(), await socket.ping()
                pong.add_done_callback(ignore_failure)
                while not pong.done():
                    await asyncio.wait([pong], timeout=MAX_LAG / 8)
                    for topic in latest: report(topic)  # silence and lag have no frame of their own
                answered = sent
                await asyncio.sleep(MAX_LAG / 8)
        (watching := asyncio.ensure_future(watch())).add_done_callback(ignore_failure)
        try:
            for topic in topics: await socket.send(json.dumps({"method": "subscribe", "topic": topic}))
            while True:
                try: read(json.loads(text := await socket.recv(), parse_int=float))
                except (AttributeError, KeyError, RecursionError, TypeError, ValueError): show(error=text[:2000])  # or a rejection
        finally: watching.cancel()

def ignore_failure(task): task.cancelled() or task.exception()  # recv raises the same
def key(topic): return re.match(r".*?-0x[0-9a-f]+", topic.lower()).group()  # without the address of a quote token
def show(**event): print(json.dumps(event, default=str), flush=True)
async def main(url, *topics):
    failures = 0
    while True:
        began = time.monotonic()
        try: await consume(re.sub("^http", "ws", url), topics)  # a gateway has one port for both
        except (ValueError, websockets.InvalidURI) as error: fail(f"{url}: {error}")
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as error:
            closed = getattr(error, "rcvd", None)  # 1013: the gateway has lost the service. Connect again after any code
            show(disconnected=closed.code if closed else 1006, reason=closed.reason if closed else str(error))
        failures = 0 if time.monotonic() - began > 5 else min(failures + 1, 7)
        await asyncio.sleep(random.uniform(0, min(30, 0.25 * 2**failures)))

if len(sys.argv) < 3 or not re.match("(ws|http)s?://.", sys.argv[1]): fail("usage: python3 prices.py ws://HOST:PORT TOPIC...")
signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C prints no traceback; a shell sees exit code 130
asyncio.run(main(*sys.argv[1:]))
