data "availability_runtime_package" "arm64" {}

# What aws_lambda_function takes of it:
#
#   resource "aws_lambda_function" "runtime" {
#     function_name    = "availability"
#     role             = aws_iam_role.runtime.arn
#     architectures    = [data.availability_runtime_package.arm64.architecture]
#     runtime          = data.availability_runtime_package.arm64.runtime
#     handler          = data.availability_runtime_package.arm64.handler
#     filename         = data.availability_runtime_package.arm64.output_path
#     source_code_hash = data.availability_runtime_package.arm64.source_code_hash
#   }
output "package" {
  value = data.availability_runtime_package.arm64
}
