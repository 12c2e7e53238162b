// svc-streams with its defaults. Each subscriber retains its last event.
import { retainingSvcStreamsCandidate } from './svc-streams-candidate.mjs'

retainingSvcStreamsCandidate({})
