"""Prints the prices of a gateway or a service, as JSON: python3 prices.py ws://127.0.0.1:8080 svc-0x82af...
Needs websockets 10 or later (Debian: python3-websockets). A price is printed as long as it is current, then why it is not."""
import asyncio, json, math, os, random, re, signal, sys, time, websockets
STALE_AFTER = float(os.environ.get("STALE_AFTER", 30))  # s without a price of a topic
MAX_LAG = float(os.environ.get("MAX_LAG", 5))  # s: the highest age of a price that is current, unless the topic is silent

async def consume(url, topics):
    """Prints the events of one connection, until it ends."""
    async with websockets.connect(url, max_size=2**20, max_queue=1, compression=None, ping_timeout=2 * MAX_LAG) as socket:
        answered = time.monotonic()  # when the newest answered ping was sent: all data behind its pong is newer
        latest, reasons = {}, {}  # by topic: its price with the time of receipt, and why that is not current
        def report(topic, is_new=False):
            (price, received), now = latest[topic], time.monotonic()
            reason = "behind" if now - answered > MAX_LAG else "silent" if now - received >= STALE_AFTER else None
            is_new, reasons[topic] = is_new or reason != reasons.get(topic), reason
            if reason is not None and is_new: show(topic=topic, stale=reason, last=price)
            if reason is None and is_new and price is not None: show(topic=topic, price=price)
        async def watch():
            nonlocal answered
            while True:
                sent, pong = time.monotonic(), await socket.ping()
                while not pong.done():
                    await asyncio.wait([pong], timeout=MAX_LAG / 8)
                    for topic in latest: report(topic)  # silence and lag have no frame of their own
                answered = sent
                await asyncio.sleep(MAX_LAG / 8)

        watching = asyncio.ensure_future(watch())
        watching.add_done_callback(lambda task: task.cancelled() or task.exception())  # recv raises the same
        try:
            for topic in topics: await socket.send(json.dumps({"method": "subscribe", "topic": topic}))
            while True:
                text = await socket.recv()
                try: frame = dict(json.loads(text, parse_int=float))
                except (TypeError, ValueError): show(error=text[:2000]); continue  # such as a rejected topic
                for topic in frame.get("subscriptions", []): latest.setdefault(key(topic), (None, time.monotonic()))
                price, age = frame.get("price"), frame.get("age", 0.0)  # age: ms since the first gateway received the price
                if "topic" in frame and is_finite(price) and price > 0 and is_finite(age) and age >= 0:
                    latest[key(frame["topic"])] = price, time.monotonic() - age / 1000
                    report(key(frame["topic"]), is_new=True)
        finally: watching.cancel()

def key(topic): return re.sub(r"(0x[0-9a-f]+).*", r"\1", topic.lower())  # without the address of a quote token
def is_finite(value): return isinstance(value, float) and math.isfinite(value)
def show(**event): print(json.dumps(event, default=str), flush=True)

async def main(url, *topics):
    failures = 0
    while True:
        began = time.monotonic()
        try: await consume(url, topics)
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as error:
            closed = getattr(error, "rcvd", None)  # 1013: the gateway has lost the service. Connect again after any code
            show(disconnected=closed.code if closed else 1006, reason=closed.reason if closed else str(error))
        failures = 0 if time.monotonic() - began > 5 else min(failures + 1, 7)
        await asyncio.sleep(random.uniform(0, min(30, 0.25 * 2**failures)))

if len(sys.argv) < 3: print("usage: python3 prices.py URL TOPIC...", file=sys.stderr); sys.exit(2)
signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C prints no traceback; a shell sees exit code 130
asyncio.run(main(*sys.argv[1:]))
