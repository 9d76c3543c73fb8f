/** Why a client is not let in: a Postgres error with its SQLSTATE. */
export class ConnectionRefusal extends Error {
  override readonly name = 'ConnectionRefusal';
  readonly sqlState: string;

  constructor(sqlState: string, message: string) {
    super(message);
    this.sqlState = sqlState;
  }
}

export const protocolViolation = (message: string) => new ConnectionRefusal('08P01', message);
