// svc-streams over the `message` event of `ws`, without the frame tap. Each subscriber retains its last event.
import { retainingSvcStreamsCandidate } from './svc-streams-candidate.mjs'
import { wsMessageTransport } from './ws-message-transport.mjs'

retainingSvcStreamsCandidate({ webSocket: wsMessageTransport })
