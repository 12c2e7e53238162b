// The work of each operator over plain callbacks, with the semantics of the operator. `listen` registers a callback for
// each event, `emit` receives each result.
import { isLeft, left, right } from 'fp-ts/lib/Either.js'

export const conflate = (listen, ms, emit) => {
  let latest
  let isPending = false
  let count = 0
  const close = () => {
    const result = isPending ? right({ value: latest, dropped: count - 1 }) : undefined
    count = 0
    isPending = false
    latest = undefined
    if (result !== undefined) emit(result)
  }
  listen((event) => {
    if (isLeft(event)) {
      isPending = false
      latest = undefined
      emit(event)
      return
    }
    latest = event.right
    isPending = true
    count += 1
    if (count === 1) setTimeout(close, ms)
  })
}

export const freshWithin = (listen, ms, emit) => {
  let latest
  let dueAt = 0
  let timer
  const fire = () => {
    timer = undefined
    if (performance.now() < dueAt) wait(Math.ceil(dueAt - performance.now()))
    else emit(left({ _tag: 'Stale', topic: latest.topic, silentForMs: ms, last: latest }))
  }
  // One more turn of the event loop, so that what has arrived is read before the deadline fires.
  const check = () => {
    const remainder = dueAt - performance.now()
    if (remainder > 0) wait(Math.ceil(remainder))
    else setImmediate(fire)
  }
  const wait = (delay) => {
    timer = setTimeout(check, delay)
  }
  listen((event) => {
    if (isLeft(event)) {
      clearTimeout(timer)
      timer = undefined
      emit(event)
      return
    }
    latest = event.right
    emit(event)
    dueAt = performance.now() + ms
    if (timer === undefined) wait(ms)
  })
}

/** The time of an event: its `receivedAt`, unless it was held. */
const timeOf = (event, now) => {
  if (isLeft(event)) return now
  const { receivedAt } = event.right
  return now - receivedAt <= 100 ? receivedAt : now
}

export const candles = (listen, ms, emit) => {
  let window
  let open = 0
  let high = 0
  let low = 0
  let close = 0
  let count = 0
  let interruptions = 0
  let isCurrent = false
  let lastEpoch
  const closeIfEnded = (now) => {
    if (window === undefined || Math.floor(now / ms) === window) return
    const from = window * ms
    const candle = { open, high, low, close, count, from, to: from + ms, interruptions, isCurrent }
    window = undefined
    interruptions = 0
    emit(right(candle))
  }
  const closeLater = (to) => {
    setTimeout(
      () => {
        closeIfEnded(Date.now())
        if (window !== undefined && (window + 1) * ms === to) closeLater(to)
      },
      Math.max(1, to - Date.now()),
    )
  }
  listen((event) => {
    const now = Date.now()
    const time = timeOf(event, now)
    closeIfEnded(time)
    if (isLeft(event)) {
      interruptions += 1
      isCurrent = false
      emit(event)
      return
    }
    const { price, epoch } = event.right
    if (lastEpoch !== undefined && lastEpoch !== epoch) interruptions += 1
    lastEpoch = epoch
    isCurrent = true
    if (window !== undefined) {
      if (price > high) high = price
      if (price < low) low = price
      close = price
      count += 1
      return
    }
    window = Math.floor(time / ms)
    open = high = low = close = price
    count = 1
    closeLater((window + 1) * ms)
  })
}

/** Two legs. */
export const combineFresh = (listenToEth, listenToBtc, maxSkew, emit) => {
  let eth
  let btc
  let lastFault
  let isEmitting = false
  const queue = []
  const timeOf = (value) => (Number.isFinite(value.receivedAt) ? value.receivedAt : Date.now())
  const fail = (leg, why, details) => {
    const fault = lastFault
    if (fault?.leg === leg && fault.why === why && fault.error === details.error) return
    lastFault = { _tag: 'NotFresh', leg, why, ...details }
    emit(left(lastFault))
  }
  const emitResult = () => {
    for (const [leg, latest] of [
      ['eth', eth],
      ['btc', btc],
    ]) {
      if (latest === undefined) return fail(leg, 'missing', {})
      if (isLeft(latest)) return fail(leg, 'left', { error: latest.left })
    }
  }
  const combine = () => {
    if (eth === undefined || btc === undefined || isLeft(eth) || isLeft(btc)) return emitResult()
    const skew = timeOf(eth.right) - timeOf(btc.right)
    if (skew > maxSkew) return fail('btc', 'skew', { skewMs: skew })
    if (-skew > maxSkew) return fail('eth', 'skew', { skewMs: -skew })
    lastFault = undefined
    emit(right({ eth: eth.right, btc: btc.right }))
  }
  // A handler that makes a leg emit must not overtake the event that it handles.
  const update = (apply, event) => {
    if (isEmitting) {
      queue.push([apply, event])
      return
    }
    isEmitting = true
    apply(event)
    combine()
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      next[0](next[1])
      combine()
    }
    isEmitting = false
  }
  const setEth = (event) => (eth = event)
  const setBtc = (event) => (btc = event)
  listenToEth((event) => update(setEth, event))
  listenToBtc((event) => update(setBtc, event))
  combine()
}

/** Returns the function that stops the timers. */
export const snapshots = (listen, ms, emit) => {
  let latest
  let next = 0
  let timer
  const emitUntil = (now) => {
    for (; next <= now; next += ms) {
      emit(isLeft(latest) ? latest : right({ at: next, value: latest.right }))
    }
  }
  const wait = () => {
    timer = setTimeout(
      () => {
        emitUntil(Date.now())
        wait()
      },
      Math.max(1, next - Date.now()),
    )
  }
  listen((event) => {
    const now = Date.now()
    const time = timeOf(event, now)
    if (latest === undefined) {
      latest = event
      next = Math.floor(time / ms) * ms + ms
      wait()
      return
    }
    if (time >= next) emitUntil(time)
    latest = event
  })
  return () => clearTimeout(timer)
}

/** Sums, whose rounding errors add up, and queues of the candidates for the lowest and the highest value. */
export const rolling = (listen, size, emit) => {
  let values = []
  let start = 0
  let index = 0
  let sum = 0
  let squares = 0
  let lows = []
  let highs = []
  let firstLow = 0
  let firstHigh = 0
  const reset = () => {
    values = new Array(size)
    lows = []
    highs = []
    start = index = sum = squares = firstLow = firstHigh = 0
  }
  reset()
  const push = (queue, first, isBetter) => {
    while (queue.length > first && !isBetter(values[queue.at(-1) % size])) queue.pop()
    queue.push(index)
  }
  listen((event) => {
    if (isLeft(event)) {
      reset()
      emit(event)
      return
    }
    const value = event.right
    if (index - start === size) {
      const oldest = values[start % size]
      sum -= oldest
      squares -= oldest * oldest
      start += 1
      if (lows[firstLow] < start) firstLow += 1
      if (highs[firstHigh] < start) firstHigh += 1
    }
    values[index % size] = value
    sum += value
    squares += value * value
    push(lows, firstLow, (other) => other < value)
    push(highs, firstHigh, (other) => other > value)
    index += 1
    if (firstLow > size) {
      lows = lows.slice(firstLow)
      firstLow = 0
    }
    if (firstHigh > size) {
      highs = highs.slice(firstHigh)
      firstHigh = 0
    }
    const count = index - start
    const mean = sum / count
    const deviation = Math.sqrt(Math.max(0, squares / count - mean * mean))
    const zScore = deviation === 0 ? null : (value - mean) / deviation
    const min = values[lows[firstLow] % size]
    const max = values[highs[firstHigh] % size]
    emit(right({ value, count, isFull: count === size, mean, deviation, min, max, zScore }))
  })
}
