// svc-streams over the `message` event of `ws`, without the frame tap: measures decoding and fan-out alone.
import { svcStreamsCandidate } from './svc-streams-candidate.mjs'
import { wsMessageTransport } from './ws-message-transport.mjs'

svcStreamsCandidate({ webSocket: wsMessageTransport })
