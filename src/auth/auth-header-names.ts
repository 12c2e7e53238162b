/** The names of the two headers that sign a request, in lower case (section 5 of the service's documentation). */
export const authHeaderNames = (service: string) => {
  const signature = `x-${service.toLowerCase()}-auth`
  return { signature, expiration: `${signature}-expiration` }
}
