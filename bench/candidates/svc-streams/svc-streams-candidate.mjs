// svc-streams through its public entry point, used as in an application.
import { isRight } from 'fp-ts/lib/Either.js'
import { createClient } from '../../node_modules/.build/index.js'
import { candidate } from '../support/candidate.mjs'

const connect = (url, options) => {
  const { origin } = new URL(url.replace('ws:', 'http:'))
  return createClient({ environment: 'testnet', priceBaseUrl: origin, priceWsUrl: url, ...options })
}

const createHandler = ({ onPrice, failed }) => {
  return (event) => {
    if (isRight(event)) onPrice(event.right.price)
    else failed(event.left.message)
  }
}

/** Each subscriber reads the price of each event, and retains nothing. */
export const svcStreamsCandidate = (options) => {
  candidate(async ({ url, ...callbacks }) => {
    const client = connect(url, options)
    const handler = createHandler(callbacks)

    return (topics, subscribers) => {
      for (const topic of topics) {
        for (let n = 0; n < subscribers; n += 1) client.price$(topic).subscribe(handler)
      }
    }
  })
}

/** Each subscriber retains its last event, so that no event is garbage before the next one arrives. */
export const retainingSvcStreamsCandidate = (options) => {
  candidate(async ({ url, ...callbacks }) => {
    const client = connect(url, options)
    const handler = createHandler(callbacks)
    const lastEvents = []

    return (topics) => {
      topics.forEach((topic, index) => {
        client.price$(topic).subscribe((event) => {
          lastEvents[index] = event
          handler(event)
        })
      })
    }
  })
}
