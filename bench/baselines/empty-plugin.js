// A provider plugin that does nothing.
const grpc = require('@grpc/grpc-js');
const { PluginInfo } = require('@pulumi/pulumi/proto/plugin_pb');
const { ResourceProviderService } = require('@pulumi/pulumi/proto/provider_grpc_pb');
const proto = require('@pulumi/pulumi/proto/provider_pb');
const { Empty } = require('google-protobuf/google/protobuf/empty_pb');
const { Struct } = require('google-protobuf/google/protobuf/struct_pb');
const endpoint = require('./empty-endpoint.js');

const { DIFF_NONE } = proto.DiffResponse.DiffChanges;

const answers = {
  getPluginInfo() {
    const info = new PluginInfo();
    info.setVersion('0.1.0');
    return info;
  },
  checkConfig(request) {
    const response = new proto.CheckResponse();
    response.setInputs(request.getNews());
    return response;
  },
  diffConfig: withoutChanges,
  configure() {
    const response = new proto.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setSupportspreview(true);
    return response;
  },
  check(request) {
    const response = new proto.CheckResponse();
    const inputs = endpoint.check(request.getUrn(), request.getNews().toJavaScript());
    response.setInputs(Struct.fromJavaScript(inputs));
    return response;
  },
  diff: withoutChanges,
  create(request) {
    const { id, outputs } = endpoint.create(request.getProperties().toJavaScript());
    const response = new proto.CreateResponse();
    if (!request.getPreview()) response.setId(id);
    response.setProperties(Struct.fromJavaScript(outputs));
    return response;
  },
  read(request) {
    const response = new proto.ReadResponse();
    response.setId(request.getId());
    response.setInputs(request.getInputs());
    response.setProperties(request.getProperties());
    return response;
  },
  delete: () => new Empty(),
  cancel: () => new Empty(),
};

function withoutChanges() {
  const response = new proto.DiffResponse();
  response.setChanges(DIFF_NONE);
  return response;
}

const server = new grpc.Server();
server.addService(
  ResourceProviderService,
  Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      name,
      ({ request }, reply) => reply(null, answer(request)),
    ]),
  ),
);
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
