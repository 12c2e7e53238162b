// Polls many mints at an interval: the project, or by hand with a timer for each.
import { isRight } from 'fp-ts/lib/Either.js'
import { answers } from '../process/answers.mjs'
import { createProject, depthClients } from './depth-clients.mjs'

const polls = {
  project: (origin) => {
    const client = createProject(origin)
    return (mint, interval, priced) => {
      client.depth$(mint, interval).subscribe((event) => {
        if (isRight(event)) priced()
      })
    }
  },
  'by-hand': (origin) => {
    const depthOf = depthClients['pool-signed'](origin)
    return (mint, interval, priced) => {
      const poll = () => void depthOf(mint).then(priced)
      setInterval(poll, interval)
      poll()
    }
  },
}

const mintOf = (index) => `0x${(index + 1).toString(16).padStart(40, '0')}`

let results = 0

answers({
  start: ({ how, origin, mints, interval }) => {
    const poll = polls[how](origin)
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
