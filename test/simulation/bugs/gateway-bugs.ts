import type { Bug } from './bugs.js'

/** Bugs of gateways over WebSockets. */
export const gatewayBugs: readonly Bug[] = [
  {
    name: 'a gateway does not pass the age of a price on',
    file: 'src/serve/gateway/sessions/topic-feed.ts',
    edits: [['const ageField = age > 0 ?', 'const ageField = age < 0 ?']],
  },
  {
    name: 'a gateway sends the last price to a new consumer while its client holds a newer one',
    file: 'src/serve/gateway/sessions/topic-feed.ts',
    edits: [['&& config.source.isUpToDate() ?', '&& config ?']],
  },
  {
    name: 'a gateway sends the held price of a topic that its consumer has left',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [
      [
        'if (feed !== undefined && this.feeds.delete(base)) this.held.delete(feed)',
        'this.feeds.delete(base)',
      ],
    ],
  },
  {
    name: 'a gateway never unsubscribes from a topic that it has kept during an outage',
    file: 'src/serve/gateway/sessions/demand.ts',
    edits: [['      this.releaseUnwanted(feed)\n', '']],
  },
  {
    name: 'a gateway forgets one of several consumers of a topic',
    file: 'src/serve/gateway/sessions/sessions.ts',
    edits: [['    this.demand.releaseUnwanted(feed)', '    this.demand.delete(feed)']],
  },
  {
    name: 'a gateway answers a ping before the prices that it holds',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [
      [
        'if (this.held.size === 1) this.sendHeld()\n  }\n\n  /** The service',
        'this.pong(payload)\n  }\n\n  /** The service',
      ],
    ],
  },
  {
    name: 'a gateway answers a ping while its own prices may be too old',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['    if (!this.config.isUpToDate()) return\n', '']],
  },
  {
    name: 'held prices are never sent',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [
      ['    if (this.held.size > 0 && !window.isHolding) this.sendHeld()\n', ''],
      ['    if (!window.isUnmarked) this.mark()\n    this.sendHeld()\n', ''],
    ],
  },
  {
    name: 'a pong of a consumer is late after 3 s',
    file: 'src/serve/gateway/prices/ack-window.ts',
    edits: [['const lateMs = 300', 'const lateMs = 3000']],
  },
  {
    name: 'an outage ends the consumers of a gateway with the code 1000',
    file: 'src/serve/gateway/sessions/sessions.ts',
    edits: [["'service-down': tryAgainLater", "'service-down': 1000"]],
  },
  {
    name: 'a gateway never terminates a connection that its consumer does not close',
    file: 'src/serve/gateway/prices/consumer-socket.ts',
    edits: [
      [
        '    this.endTimer.add(timer(ms).subscribe(() => this.webSocket.terminate()))\n',
        '    void [timer, ms]\n',
      ],
    ],
  },
  {
    name: 'a gateway rejects a topic by a text of its own',
    file: 'src/serve/gateway/sessions/topic-feed.ts',
    edits: [['return this.reject(error.reason)', "return this.reject('rejected')"]],
  },
  {
    name: 'further outages prolong the time for which a gateway keeps a topic',
    file: 'src/serve/gateway/sessions/demand.ts',
    edits: [['      if (!feed.isWanted) continue\n', '']],
  },
  {
    name: 'a new consumer of a gateway gets no last price',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['if (frame !== undefined) this.send(frame, feed, false)', 'void frame']],
  },
  {
    name: 'a gateway answers a ping before its service has answered a later probe',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['{ payload, isUnproven: this.probes.request() }', '{ payload, isUnproven: undefined }']],
  },
  {
    name: 'a gateway sends a price to a new consumer before its service has answered a probe',
    file: 'src/serve/gateway/prices/connection.ts',
    edits: [['    this.probes.onTopic()\n', '']],
  },
]
