/** The environment variables that `svc-streams simulate` prints. */
export const environmentOf = (simulator: {
  readonly baseUrl: string
  readonly priceBaseUrl: string
  readonly priceWsUrl: string
  readonly authKey: string
}) => ({
  SVC_BASE_URL: simulator.baseUrl,
  SVC_PRICE_BASE_URL: simulator.priceBaseUrl,
  SVC_PRICE_WS_URL: simulator.priceWsUrl,
  SVC_AUTH_KEY: simulator.authKey,
})
