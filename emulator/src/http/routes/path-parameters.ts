export type ProjectPath = { Params: { project_id: string } };
export type BranchPath = { Params: { project_id: string; branch_id: string } };
export type EndpointPath = { Params: { project_id: string; endpoint_id: string } };
export type OperationPath = { Params: { project_id: string; operation_id: string } };
export type RolePath = { Params: { project_id: string; branch_id: string; role_name: string } };
export type DatabasePath = { Params: { project_id: string; branch_id: string; database_name: string } };
