/** Options of gateways' and consumers' clients: a few hundred ms show as much as a minute of the defaults. In ms. */
export const shortTimes = {
  linger: 50,
  staleAfter: 700,
  confirmTimeout: 500,
  reconnect: { initialDelay: 20, maxDelay: 200 },
}

/** The option of the consumers, in ms. */
export const maxLag = 400
