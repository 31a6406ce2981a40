variable "table_name" {
  type        = string
  default     = "signals"
  description = "Name of the table."
}

variable "architecture" {
  type        = string
  default     = "arm64"
  description = "What the function runs on: arm64 or x86_64."
}
