// svc-streams with up to 100 000 topics on one connection: a confirmation that lists all of them fits into a frame of 16 MiB, and
// other programs on the machine, which delay the first prices of so many topics, make none of them out of date.
import { svcStreamsCandidate } from './svc-streams-candidate.mjs'

svcStreamsCandidate({ maxFrameBytes: 2 ** 24, maxLag: Infinity, staleAfter: 600_000 })
