// Polls many mints at an interval: svc-streams, or a hand-written client with one timer per mint.
import { isRight } from 'fp-ts/lib/Either.js'
import { handleRequests } from '../process/handle-requests.mjs'
import { createSvcStreams, depthClients } from './depth-clients.mjs'

const polls = {
  'svc-streams': (origin) => {
    const svcStreams = createSvcStreams(origin)
    return (mint, interval, onPrice) => {
      svcStreams.depth$(mint, interval).subscribe((event) => {
        if (isRight(event)) onPrice()
      })
    }
  },
  'hand-written': (origin) => {
    const fetchPrice = depthClients['pool-signed'](origin)
    return (mint, interval, onPrice) => {
      const poll = () => void fetchPrice(mint).then(onPrice)
      setInterval(poll, interval)
      poll()
    }
  },
}

const mintOf = (index) => `0x${(index + 1).toString(16).padStart(40, '0')}`

let results = 0

handleRequests({
  start: ({ client, origin, mints, interval }) => {
    const poll = polls[client](origin)
    for (let index = 0; index < mints; index += 1) {
      poll(mintOf(index), interval, () => {
        results += 1
      })
    }
  },
  usage: () => {
    const { user, system } = process.cpuUsage()
    return { results, cpuMicroseconds: user + system }
  },
})
