// svc-streams with its defaults.
import { svcStreamsCandidate } from './svc-streams-candidate.mjs'

svcStreamsCandidate({})
